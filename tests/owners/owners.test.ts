import { execFileSync } from "node:child_process";
import { afterAll, beforeAll } from "vitest";
import { GatewayHome } from "../clients/gateway-home.ts";
import { caret, type GatewayProcess, startGateway } from "../clients/gateway-process.ts";
import { makeThings } from "./owned-things.ts";
import { describeStrangers, type Strangers } from "./strangers.contract.ts";

/** One gateway with its own log, and tokens of two users and of an administrator. */
const home = new GatewayHome();
let gateway: GatewayProcess;
let strangers: Strangers;

function token(name: string, ...args: readonly string[]): string {
  const words = [caret, "token", "create", name, "--json", ...args];
  const made = execFileSync(process.execPath, words, { env: home.environment(), encoding: "utf8" });
  return (JSON.parse(made) as { secret: string }).secret;
}

beforeAll(async () => {
  gateway = await startGateway(home, { args: ["--port", "0", "--workspace", home.workspace] });
  const { url } = gateway;
  const anna = { url, token: token("anna-laptop", "--user", "anna", "--scope", "sessions", "turns", "models") };
  const bert = [{ url, token: token("bert-laptop", "--user", "bert", "--scope", "admin") }];
  const root = { url, token: token("root", "--admin") };
  const things = await makeThings(anna, home.workspace);
  strangers = { things, anna, bert, root, workspace: home.workspace };
}, 120_000);
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

describeStrangers("at a gateway with its own log", () => strangers);
