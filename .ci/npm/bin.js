#!/usr/bin/env node
// Becomes the midwire of this platform, which npm installed beside this package.
'use strict';
const { spawn } = require('node:child_process');
const { closeSync } = require('node:fs');
const { constants } = require('node:os');

const name = `@midwire/${process.platform}-${process.arch}`;
let midwire;
try {
  midwire = require.resolve(`${name}/bin/midwire${process.platform === 'win32' ? '.exe' : ''}`);
} catch {
  console.error(`midwire: the package ${name} is not installed. Either there is no midwire for this platform, ` +
    'or npm was told to leave out optional dependencies (--omit=optional, --no-optional). ' +
    'Install midwire again without that, or take the program from its releases.');
  process.exit(127);
}
const args = process.argv.slice(2);

// Node 22.15 and 23.11 can give the process away: nothing of Node remains
// between the client and midwire. It resets what it changed of the signals.
if (process.execve && process.platform !== 'win32') {
  process.execve(midwire, [midwire, ...args], process.env);
}

const child = spawn(midwire, args, { stdio: 'inherit', windowsHide: true });
for (const fd of [0, 1]) closeSync(fd); // they are midwire's: its end must be their end

// on passes a signal to listen, and says whether there is such a signal here.
function on(signal, listen) {
  try {
    return Boolean(process.on(signal, listen));
  } catch {
    return false;
  }
}
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGCONT', 'SIGWINCH']) {
  on(signal, () => child.kill(signal));
}
child.on('error', (err) => {
  console.error(`midwire: cannot start ${midwire}: ${err.message}`);
  process.exit(126);
});
child.on('exit', (code, signal) => {
  if (!signal) process.exit(code);
  // Die of the same: without a listener a signal does what it does by default,
  // also one that Node ignores.
  if (on(signal, () => {})) process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  setTimeout(() => process.exit(128 + (constants.signals[signal] || 0)), 100);
});
