import { createNativeClient } from "@caret/protocol";
import type { PageStage } from "../../tests/page/page-stage.ts";
import { buildPrograms } from "../doors/build-programs.ts";
import { uniquePrompt } from "../doors/chat-request.ts";
import { serveCaret } from "../doors/serve-door.ts";
import { type Figure, ownFigure } from "../figures/figure.ts";
import { countBusyTime } from "./busy-time.ts";

const SESSIONS = 50;
const PACE_MS = 100;

/** The list while many sessions are at work; agents that cost nothing speak in them. */
export async function liveList(stage: PageStage, quick: boolean): Promise<readonly Figure[]> {
  const { directory } = stage.home;
  const seconds = quick ? 5 : 15;
  const door = await serveCaret({ directory, agent: buildPrograms(directory).agent });
  try {
    const api = createNativeClient({ baseUrl: door.url, headers: { authorization: `Bearer ${door.token}` } });
    for (let count = 0; count < SESSIONS; count += 1) {
      const { id } = await api.createSession({ permission: "full" });
      const deltas = ((seconds + 60) * 1000) / PACE_MS;
      await api.startTurn(id, { prompt: uniquePrompt(`deltas=${deltas} pace=${PACE_MS}`) });
    }
    const page = await stage.newBrowser();
    await page.goto((await api.createLink()).url);
    await page
      .getByRole("main")
      .getByText("Running")
      .nth(SESSIONS - 1)
      .waitFor();
    const busyTime = await countBusyTime(page);
    await page.evaluate(`new Promise((done) => setTimeout(done, ${seconds * 1000}))`);
    const { elapsed, tasks, longTasks } = await busyTime();
    await stage.leave();
    const what = `list of ${SESSIONS} running sessions`;
    return [
      ownFigure(`${what}: time in all tasks`, "%", (100 * tasks) / elapsed, 15),
      ownFigure(`${what}: time in long tasks`, "%", (100 * longTasks) / elapsed, 5),
    ];
  } finally {
    await door.stop();
  }
}
