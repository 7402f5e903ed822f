import type { Request } from "playwright-core";
import type { PageStage } from "../../tests/page/page-stage.ts";
import { type Figure, ownFigure } from "../figures/figure.ts";

/** All scripts that a browser without a cache fetched until the list of sessions could be used, as they came over the wire. */
export async function firstLoad(stage: PageStage): Promise<readonly Figure[]> {
  const page = await stage.newBrowser();
  const scripts: Request[] = [];
  page.on("requestfinished", (request) => {
    if (request.resourceType() === "script") scripts.push(request);
  });
  await page.goto((await stage.api.createLink()).url);
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  await page.evaluate("new Promise((done) => requestIdleCallback(done))");
  const sizes = await Promise.all(scripts.map((request) => request.sizes()));
  await stage.leave();
  const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
  return [ownFigure("first load: JavaScript, compressed", "kB", bytes / 1000, 150)];
}
