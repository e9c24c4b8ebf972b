// Preloaded into a spawned gateway: measures its turns. After SIGUSR2 it logs the longest one since the last signal.
let longest = 0;
let cpu = process.cpuUsage();
let at = performance.now();

function measure() {
  const nowMs = performance.now();
  const { user, system } = process.cpuUsage(cpu);
  // Wall time counts what else the machine does, CPU time what other threads of the process do.
  longest = Math.max(longest, Math.min(nowMs - at, (user + system) / 1_000));
  cpu = process.cpuUsage();
  at = nowMs;
  setImmediate(measure).unref();
}

process.on('SIGUSR2', () => {
  process.stdout.write(`${JSON.stringify({ level: 'info', turnMs: longest, msg: 'longest turn' })}\n`);
  longest = 0;
});
setTimeout(measure, 0).unref();
