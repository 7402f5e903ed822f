import { expect, test, vi } from "vitest";
import { createPatientJobs } from "./patient-jobs.ts";

test("gives what is due of many sessions in parts, one after the other", async () => {
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

test("waits as long between two parts as before the first, and less when there are so many that the last would wait too long", () => {
  vi.useFakeTimers();
  try {
    const dueAt = (sessions: number): readonly number[] => {
      const times: number[] = [];
      const began = Date.now();
      const jobs = createPatientJobs<number>({
        patienceMs: 200,
        maxJobs: 512,
        onDue: () => {
          times.push(Date.now() - began);
          jobs.takeSome();
        },
      });
      for (let session = 0; session < sessions; session += 1) jobs.add(`session ${session}`, session);
      vi.runAllTimers();
      return times;
    };
    expect(dueAt(16)).toEqual([200]);
    expect(dueAt(48)).toEqual([200, 400, 600]);
    expect(dueAt(256)).toEqual(Array.from({ length: 16 }, (_, part) => 200 + 66 * part));
  } finally {
    vi.useRealTimers();
  }
});

test("gives all jobs of one session together", () => {
  const jobs = createPatientJobs<number>({ patienceMs: 60_000, maxJobs: 512, onDue: () => undefined });
  for (let job = 0; job < 20; job += 1) jobs.add("one", job);
  jobs.add("another", 20);
  expect(jobs.takeSome()).toEqual(Array.from({ length: 20 }, (_, job) => job));
  expect(jobs.takeAll()).toEqual([20]);
});
