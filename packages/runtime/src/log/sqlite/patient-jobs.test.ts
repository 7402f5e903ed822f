import { expect, test } from "vitest";
import { createPatientJobs } from "./patient-jobs.ts";

test("gives what is due of many sessions in parts, each when the loop has come round", async () => {
  const parts: (readonly string[])[] = [];
  const done = Promise.withResolvers<void>();
  const jobs = createPatientJobs<string>({
    patienceMs: 1,
    maxJobs: 512,
    onDue: () => {
      parts.push(jobs.takeSome());
      if (jobs.all().length === 0) done.resolve();
    },
  });
  const names = Array.from({ length: 40 }, (_, index) => `session ${index}`);
  for (const name of names) jobs.add(name, name);
  await done.promise;
  expect(parts).toEqual([names.slice(0, 16), names.slice(16, 32), names.slice(32)]);
});

test("gives all jobs of one session together", () => {
  const jobs = createPatientJobs<number>({ patienceMs: 60_000, maxJobs: 512, onDue: () => undefined });
  for (let job = 0; job < 20; job += 1) jobs.add("one", job);
  jobs.add("another", 20);
  expect(jobs.takeSome()).toEqual(Array.from({ length: 20 }, (_, job) => job));
  expect(jobs.takeAll()).toEqual([20]);
});
