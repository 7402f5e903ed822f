import type { Reply } from "../wire/reply.ts";

/** Tells the gateway how a turn began, or why it did not. Does not reject: a gateway that hears nothing looks at the turn itself. */
export type TurnAnswers = (reply: Reply) => Promise<void>;
