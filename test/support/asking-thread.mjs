import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

// Asks small questions over new connections, in a thread of its own: what the test does must not delay it.
const { port, pid, localAddress, text } = workerData;

/** CPU time of the process, in milliseconds. The kernel counts in hundredths of a second. */
function cpuMs() {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function ask() {
  return new Promise((resolve) => {
    const before = cpuMs();
    let received = '';
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.setEncoding('latin1').on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', (error) => {
      received = String(error);
    });
    socket.on('close', () => resolve({ received, cpuMs: cpuMs() - before }));
    socket.write(text);
  });
}

let isOver = false;
parentPort.once('message', () => {
  isOver = true;
});
while (!isOver) parentPort.postMessage(await ask());
parentPort.close();
