import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  getOperationAST,
  type OperationDefinitionNode,
  print,
  stripIgnoredCharacters,
} from 'graphql';
import type { Generation } from '../graph/generation.ts';
import { collectFields } from '../planning/collect-fields.ts';
import { fragmentsOf } from '../planning/fragments-of.ts';
import { hasDirectivesAtRoot, type Plan, planOperation, usedFragments } from '../planning/plan-operation.ts';
import { type DocumentPart, takePart, variablesOf } from '../planning/split-document.ts';
import { type AnswerEnding, toAnswerEnding } from '../subschemas/ledger/answer-ending.ts';
import { type CheckWaits, createCheckWaits } from './check-waits.ts';
import { createExecuteOwn, type ExecuteOwn } from './execute-own.ts';
import { keepSchemaAnswer } from './keep-schema-answer.ts';

/** What of an operation the text alone decides, worked out when it is first run. */
export interface PlannedOperation {
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly plan: Plan;
  /** Is there nothing in the document beside this operation and what it uses? Then its text can go as it came. */
  readonly isWhole: boolean;
  /** Do directives decide what there is at the root? */
  readonly isConditional: boolean;
  readonly parts: () => {
    readonly ledger: DocumentPart & { readonly text: string };
    readonly own: DocumentPart & { readonly execute: ExecuteOwn };
  };
  /** For an operation whose root fields are all our own. */
  readonly executeOwn: () => ExecuteOwn;
  readonly unreadSplit: () => UnreadSplit | null;
  /** What is to be refused before anything is executed; `null` where there is nothing to look at. */
  readonly checkWaits: CheckWaits | null;
}

/** A split operation whose root keys stand owner by owner, so that the texts of both answers can be put side by side. */
export interface UnreadSplit {
  /** The ledger's part, as JSON has it. */
  readonly queryJson: string;
  readonly ledgerVariables: (sent: Variables) => Variables;
  /** How answers to it end. */
  readonly ending: AnswerEnding;
  readonly isLedgerFirst: boolean;
  readonly executeOwn: ExecuteOwn;
}

type Variables = Readonly<Record<string, unknown>>;

/** What of an operation decides whether its text can go to the ledger as it came. */
export type OperationForm = Pick<PlannedOperation, 'operation' | 'fragments' | 'plan' | 'isWhole' | 'isConditional'>;

/** The operation of that name; `null` where the document has none. */
export function planDocument(
  generation: Generation,
  document: DocumentNode,
  operationName: string | null,
): PlannedOperation | null {
  const operation = getOperationAST(document, operationName);
  if (!operation) return null;
  const fragments = fragmentsOf(document);
  const { ownership } = generation;
  const plan = planOperation(operation, fragments, ownership);
  let parts: ReturnType<PlannedOperation['parts']> | undefined;
  let executeOwn: ExecuteOwn | undefined;
  let unreadSplit: UnreadSplit | null | undefined;
  const isLedgers = (name: string) =>
    ownership.ownerOf(operation.operation, name) === 'ledger' && name !== '__typename';
  const made: PlannedOperation = {
    operation,
    fragments,
    plan,
    isWhole: document.definitions.length === 1 + usedFragments(operation.selectionSet, fragments).length,
    isConditional: hasDirectivesAtRoot(operation, fragments),
    // Only stitching has joins.
    checkWaits: plan === 'STITCHED' ? createCheckWaits(generation.schema, operation, fragments) : null,
    parts: () => {
      if (!parts) {
        const isOwn = (name: string) => !isLedgers(name);
        // Where everything is the ledger's, its `__typename` is too.
        const ledger = takePart(operation, fragments, plan === 'PASS_THROUGH' ? () => true : isLedgers);
        const own = takePart(operation, fragments, isOwn);
        parts = {
          ledger: { ...ledger, text: stripIgnoredCharacters(print(ledger.document)) },
          own: {
            ...own,
            execute: createExecuteOwn({
              schema: generation.local,
              local: generation.local,
              document: own.document,
              operationName: null,
              joins: null,
            }),
          },
        };
      }
      return parts;
    },
    executeOwn: () => {
      const isLocal = plan === 'LOCAL';
      const schema = isLocal ? generation.local : generation.schema;
      executeOwn ??= keepSchemaAnswer(
        schema,
        document,
        operation,
        createExecuteOwn({
          schema,
          local: generation.local,
          document,
          operationName,
          joins: isLocal ? null : generation.operationJoins,
        }),
      );
      return executeOwn;
    },
    unreadSplit: () => {
      if (unreadSplit === undefined) {
        unreadSplit = plan === 'SPLIT' && !made.isConditional ? toUnreadSplit(generation, made, isLedgers) : null;
      }
      return unreadSplit;
    },
  };
  return made;
}

function toUnreadSplit(
  generation: Generation,
  found: PlannedOperation,
  isLedgers: (name: string) => boolean,
): UnreadSplit | null {
  const owners = [...rootFields(generation, found, {}).values()].map(([node]) => isLedgers(node?.name.value ?? ''));
  // Two runs: the owner changes once.
  if (owners.filter((owner, index) => index > 0 && owner !== owners[index - 1]).length !== 1) return null;
  const { ledger, own } = found.parts();
  const asked = getOperationAST(ledger.document);
  return {
    queryJson: JSON.stringify(ledger.text),
    ledgerVariables: (sent) => variablesOf(ledger, sent),
    ending: asked ? toAnswerEnding(generation.schema, asked, found.fragments) : [],
    isLedgerFirst: owners[0] === true,
    executeOwn: (sent, context) => own.execute(variablesOf(own, sent), context),
  };
}

/** Can the client's text go to the ledger as it came, whatever the variables? */
export function isForwarded(found: Pick<PlannedOperation, 'plan' | 'isWhole' | 'isConditional'> | null): boolean {
  return found?.plan === 'PASS_THROUGH' && found.isWhole && !found.isConditional;
}

/** The fields at the root by their keys in the answer, in its order. */
export function rootFields(
  { schema }: Generation,
  { operation, fragments }: PlannedOperation,
  variables: Record<string, unknown>,
) {
  const type = schema.getRootType(operation.operation) as GraphQLObjectType;
  return collectFields(type, [operation.selectionSet], { schema, fragments, variables });
}
