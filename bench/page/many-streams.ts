import { createNativeClient } from "@caret/protocol";
import type { PageStage } from "../../tests/page/page-stage.ts";
import { buildPrograms } from "../doors/build-programs.ts";
import { uniquePrompt } from "../doors/chat-request.ts";
import { serveCaret } from "../doors/serve-door.ts";
import { type Figure, ownFigure } from "../figures/figure.ts";
import { countBusyTime } from "./busy-time.ts";

const SESSIONS = 20;
/** Between two deltas of each: together they are two hundred a second. */
const PACE_MS = 100;

/** One session is read while it and nineteen others stream; agents that cost nothing speak in them. */
export async function manyStreams(stage: PageStage, quick: boolean): Promise<readonly Figure[]> {
  const { directory } = stage.home;
  const seconds = quick ? 5 : 15;
  const door = await serveCaret({ directory, agent: buildPrograms(directory).agent });
  try {
    const api = createNativeClient({ baseUrl: door.url, headers: { authorization: `Bearer ${door.token}` } });
    const deltas = ((seconds + 60) * 1000) / PACE_MS;
    const ids: string[] = [];
    for (let count = 0; count < SESSIONS; count += 1) {
      const { id } = await api.createSession({ permission: "full" });
      await api.startTurn(id, { prompt: uniquePrompt(`deltas=${deltas} pace=${PACE_MS}`) });
      ids.push(id);
    }
    const page = await stage.newBrowser();
    await page.goto((await api.createLink()).url);
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    await page.goto(`${door.url}/#/s/${ids[0]}`);
    await page.getByRole("region", { name: "Transcript" }).waitFor();
    await page.evaluate("new Promise((done) => setTimeout(done, 1500))");
    const busyTime = await countBusyTime(page);
    await page.evaluate(`new Promise((done) => setTimeout(done, ${seconds * 1000}))`);
    const { elapsed, tasks, longTasks } = await busyTime();
    const views = await Promise.all(ids.map((id) => api.getSession(id)));
    const running = views.filter(({ status }) => status.kind === "running").length;
    await stage.leave();
    const what = `one of ${SESSIONS} streaming sessions`;
    return [
      ownFigure(`${what}: time in long tasks`, "%", (100 * longTasks) / elapsed, 5),
      ownFigure(`${what}: time in all tasks`, "%", (100 * tasks) / elapsed),
      // A figure of its own, so that a session which ended early is not taken for a fast page.
      ownFigure(`${what}: sessions that ended early`, "", SESSIONS - running, 0),
    ];
  } finally {
    await door.stop();
  }
}
