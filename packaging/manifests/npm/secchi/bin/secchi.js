#!/usr/bin/env node
"use strict";
// Runs the program of the package for this platform, which npm installed as an optional dependency.
const { spawn } = require("node:child_process");

const name = `@secchi/${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/${process.platform === "win32" ? "secchi.exe" : "secchi"}`);
} catch {
  console.error(`secchi: the package ${name} is not installed: either optional dependencies were omitted, ` +
    "or there is no built program for this platform");
  process.exit(4);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// The terminal sends SIGINT to both, and the program ends only after its operations in flight.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`secchi: ${error.message}`);
  process.exit(4);
});
child.on("exit", (code, signal) => {
  process.removeAllListeners(signal ?? "exit");
  if (signal) process.kill(process.pid, signal);
  else process.exit(code);
});
