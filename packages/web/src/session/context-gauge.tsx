import { formatTokens, type TranscriptTurn } from "@caret/protocol";
import { useModels } from "../data/page-hooks.ts";
import { contextUse } from "./context-use.ts";

/** From here on an agent is about to summarise what was said. */
const NEARLY_FULL = 0.8;
const RADIUS = 5;
const AROUND = 2 * Math.PI * RADIUS;

/** How much of the model's window the conversation takes, where that is known: one of the facts about the session. */
export function ContextGauge({ turns }: { readonly turns: readonly TranscriptTurn[] }) {
  const models = useModels();
  const use = contextUse(turns, models);
  if (use === undefined) return null;
  const { used, size } = use;
  if (size === undefined)
    return (
      <li className="shrink-0 whitespace-nowrap max-md:hidden" title="Tokens in the conversation">
        {formatTokens(used)} in context
      </li>
    );
  const share = Math.min(1, used / size);
  return (
    <li
      className={`flex shrink-0 items-center gap-1.5 whitespace-nowrap ${share >= NEARLY_FULL ? "text-warn" : ""}`}
      title={`Context: ${used.toLocaleString("en")} of ${size.toLocaleString("en")} tokens`}
    >
      <svg aria-hidden="true" className="-rotate-90" height="14" viewBox="0 0 14 14" width="14">
        <circle cx="7" cy="7" r={RADIUS} fill="none" stroke="currentColor" strokeOpacity="0.25" strokeWidth="2.5" />
        <circle
          cx="7"
          cy="7"
          r={RADIUS}
          fill="none"
          stroke="currentColor"
          strokeWidth="2.5"
          strokeDasharray={`${share * AROUND} ${AROUND}`}
        />
      </svg>
      <span>
        <span className="sr-only">Context: </span>
        {formatTokens(used)} of {formatTokens(size)} ({Math.round(share * 100)}%)
      </span>
    </li>
  );
}
