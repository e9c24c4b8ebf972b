import { type ASTVisitor, GraphQLError, type ValidationContext } from 'graphql';
import type { LedgerFeature } from '../graphql-limits.ts';

const featureOfField = new Map<string, LedgerFeature>([
  ['coins', 'COINS'],
  ['balance', 'COINS'],
  ['balances', 'COINS'],
  ['coinMetadata', 'COINS'],
  ['asCoin', 'COINS'],
  ['asCoinMetadata', 'COINS'],
  ['dynamicField', 'DYNAMIC_FIELDS'],
  ['dynamicObjectField', 'DYNAMIC_FIELDS'],
  ['dynamicFields', 'DYNAMIC_FIELDS'],
  ['totalStakeRewards', 'SYSTEM_STATE'],
  ['validatorSet', 'SYSTEM_STATE'],
  ['protocolConfigs', 'SYSTEM_STATE'],
  ['storageFund', 'SYSTEM_STATE'],
  ['safeMode', 'SYSTEM_STATE'],
  ['systemStateVersion', 'SYSTEM_STATE'],
  ['systemParameters', 'SYSTEM_STATE'],
  ['ledgerTreasuryCapId', 'SYSTEM_STATE'],
  ['iotaTreasuryCapId', 'SYSTEM_STATE'],
  ['suiTreasuryCapId', 'SYSTEM_STATE'],
]);

/** The feature that a field belongs to, wherever it stands; `undefined` when it is always served. */
export function featureOf(fieldName: string): LedgerFeature | undefined {
  return featureOfField.get(fieldName);
}

/** A validation rule: refuses fields of features that are not served here. */
export function createFeatureRule(enabled: ReadonlySet<LedgerFeature>) {
  return function FeatureRule(context: ValidationContext): ASTVisitor {
    return {
      Field(node) {
        const feature = featureOf(node.name.value);
        const parent = context.getParentType();
        if (!feature || enabled.has(feature) || !parent || !context.getFieldDef()) return;
        const name = feature.toLowerCase().replaceAll('_', '-');
        context.reportError(
          new GraphQLError(
            `Cannot query field "${node.name.value}" on type "${parent.name}". Feature "${name}" is disabled.`,
            { nodes: node },
          ),
        );
      },
    };
  };
}
