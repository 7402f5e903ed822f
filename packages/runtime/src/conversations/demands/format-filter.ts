import type { AgentEvent } from "@caret/protocol";
import type { EndFilter } from "./answer-again.ts";
import type { FormatDemand } from "./format-demand.ts";

const BLOCK = "verified";

export interface FormatFilterOptions {
  readonly demand: FormatDemand;
  /** Nothing but words is at stake: an answer that will be cut is given while it comes, so that it ends its turn. */
  readonly endsEarly: boolean;
  /** The answer has to call a tool: words alone are no good end. */
  readonly needsCall: boolean;
  readonly onUnmet: (problem: string) => void;
}

/**
 * Holds all text back until the turn has ended, and gives in its place what was demanded. Text before a call of the client's is no
 * answer, and is never given. Thoughts and activity pass.
 */
export function createFormatFilter({ demand, endsEarly, needsCall, onUnmet }: FormatFilterOptions): EndFilter {
  const heard = createHearing();
  let hasCalls = false;
  let isRaw = false;
  let isReplaced = false;
  let checkedAt = 0;

  const end = (event: AgentEvent & { type: "turn-end" }): readonly AgentEvent[] => {
    if (event.outcome.kind !== "completed" || hasCalls || isRaw) return [event];
    const judged = needsCall ? undefined : demand.judge(heard.texts());
    if (judged?.kind === "met") return [...blockOf(judged.text), event];
    isReplaced = true;
    if (judged !== undefined) onUnmet(judged.problem);
    return [];
  };

  /** The doors cut it; until then it goes on. */
  const giveOverlong = (): readonly AgentEvent[] => {
    const { last } = heard;
    if (!endsEarly || needsCall || last.length < checkedAt) return [];
    checkedAt = last.length * 1.25;
    isRaw = demand.isOverlong(last);
    return isRaw ? blockOf(last).slice(0, 2) : [];
  };

  const shownOf = (event: AgentEvent): readonly AgentEvent[] => {
    if (event.type === "turn-end") return end(event);
    hasCalls ||= event.type === "tool-call" && event.owner === "client";
    if (!heard.read(event)) return [event];
    if (!isRaw) return giveOverlong();
    return event.type === "text-delta" ? [{ ...event, blockId: BLOCK }] : [];
  };

  return {
    read: (batch) => batch.flatMap(shownOf),
    held: [],
    get isReplaced() {
      return isReplaced;
    },
  };
}

/** What the agent has said that may be its answer. */
interface Hearing {
  /** False for what is no text. */
  read(event: AgentEvent): boolean;
  /** The last block that says anything. */
  readonly last: string;
  /** What may be the answer, the likeliest first: the last block, or all that was said since the agent's last tool. */
  texts(): readonly string[];
}

function createHearing(): Hearing {
  let last = "";
  let open: { readonly blockId: string; text: string } | undefined;
  let sinceTool: string[] = [];

  const close = (): void => {
    if (open !== undefined && open.text.trim() !== "") {
      last = open.text;
      sinceTool.push(open.text);
    }
    open = undefined;
  };

  const hear = (blockId: string, text: string): void => {
    if (open?.blockId !== blockId) close();
    open ??= { blockId, text: "" };
    open.text += text;
  };

  return {
    read(event) {
      switch (event.type) {
        case "text-delta":
          hear(event.blockId, event.text);
          return true;
        case "text-start":
        case "text-end":
          close();
          return true;
        case "plan":
          close();
          hear("plan", event.text);
          close();
          return true;
        case "tool-call":
          close();
          sinceTool = [];
          return false;
        default:
          return false;
      }
    },
    get last() {
      return open === undefined ? last : open.text;
    },
    texts() {
      close();
      return sinceTool.length > 1 ? [last, sinceTool.join("")] : [last];
    },
  };
}

function blockOf(text: string): readonly AgentEvent[] {
  return [
    { type: "text-start", blockId: BLOCK },
    { type: "text-delta", blockId: BLOCK, text },
    { type: "text-end", blockId: BLOCK },
  ];
}
