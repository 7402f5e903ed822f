/**
 * Loaded into a gateway by NODE_OPTIONS: writes down the longest that its thread has computed without looking at its timers, in
 * milliseconds of processor time, so that a busy machine makes no difference. SIGUSR2 begins anew.
 */
import { renameSync, writeFileSync } from "node:fs";

const path = process.env["CARET_TEST_BURSTS"];
if (path !== undefined && process.argv.includes("serve")) {
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let longest = 0;
  let last = used();
  const write = () => {
    writeFileSync(`${path}.new`, String(longest));
    renameSync(`${path}.new`, path);
  };
  setInterval(() => {
    const now = used();
    longest = Math.max(longest, now - last);
    last = now;
  }, 2).unref();
  process.on("SIGUSR2", () => {
    write();
    longest = 0;
  });
}
