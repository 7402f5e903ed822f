/** The possible features of a lane, under the words used in the table of lanes and in errors. */
export const laneFeatures = {
  "agent-tools": "the agent runs its own tools",
  "client-tools": "the client runs the tools, by parked calls",
  "gateway-tools": "the gateway runs the tools, under its policy",
  approvals: "a person is asked about the agent's own tools",
  questions: "a person answers the agent's questions",
  plans: "a person accepts or rejects the agent's plans",
  images: "the agent is given images as they are",
  steering: "what a person says reaches the agent while it works",
  thinking: "the agent's thinking is shown",
  resume: "the next turn goes on in the same upstream session",
  sandbox: "the turn can be sandboxed",
  usage: "upstream reports what a turn has used",
} as const satisfies Readonly<Record<string, string>>;

export type LaneFeature = keyof typeof laneFeatures;

const printMode: readonly LaneFeature[] = [
  "agent-tools",
  "client-tools",
  "gateway-tools",
  "thinking",
  "resume",
  "sandbox",
  "usage",
];

/** What each lane can do. The lane contract checks it in both directions. */
export const featuresOf = {
  cli: printMode,
  /** A user's own program, which the `cli` lane runs for a model that names it. */
  contract: ["client-tools", "gateway-tools", "sandbox", "usage"],
  sim: printMode,
  acp: [
    "agent-tools",
    "client-tools",
    "gateway-tools",
    "approvals",
    "questions",
    "plans",
    "images",
    "thinking",
    "resume",
  ],
  api: ["client-tools", "gateway-tools", "images", "steering", "thinking", "resume", "sandbox", "usage"],
} as const satisfies Readonly<Record<string, readonly LaneFeature[]>>;
