import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../../src/sponsor/store/memory-store.ts';
import { StoreAwayError } from '../../../../src/sponsor/store/sponsorship-store.ts';
import { answerStoreCall, createPrimaryStore, type PrimaryStore } from '../../../../src/start/workers/primary-store.ts';
import { failingStore, type StoreFault } from '../../../support/failing-store.ts';
import { describeSponsorshipStore, newFlow, noon } from '../../../support/sponsorship-store-suite.ts';

/** As what is sent between processes arrives. */
const sent = <Message>(message: Message): Message => JSON.parse(JSON.stringify(message)) as Message;

/** A worker's store whose calls arrive at a primary that has this one. */
function openWorker(memory: Parameters<typeof answerStoreCall>[0]): PrimaryStore {
  const store = createPrimaryStore(async (call) => {
    void answerStoreCall(memory, sent(call)).then((answer) => store.hear(sent(answer)));
  });
  return store;
}

describeSponsorshipStore('in the process that started the workers', () => ({
  open(bounds) {
    const memory = createMemoryStore(bounds);
    return { one: openWorker(memory), other: openWorker(memory) };
  },
  close: () => {},
}));

test('a step that the primary cannot take, or does not answer in time, fails', async () => {
  const failing = failingStore(createMemoryStore(), (): StoreFault => 'before');
  await expect(openWorker(failing).gasAllowance({ key: 'gas', perDay: 1 }, noon)).rejects.toThrow(StoreAwayError);
  const mute = createPrimaryStore(async () => {}, 1);
  await expect(mute.beginExecution(newFlow().execution())).rejects.toThrow(StoreAwayError);
  // An answer that comes too late, or to nothing that was asked, is nobody's.
  mute.hear({ id: 1, answer: { value: { kind: 'begun' } } });
  mute.hear({ id: 99 });
});
