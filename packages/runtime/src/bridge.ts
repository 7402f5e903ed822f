/** The agent's end of a bridge alone: it is started with every turn whose tools are not the agent's, and must be quick. */
export { connectBridge } from "./tools/bridge/bridge-client.ts";
export { offerTools, type ResolvedCall } from "./tools/bridge/offered-tools.ts";
