import type { AgentView } from "@caret/protocol";
import { GitBranch } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { SimulatedBadge } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { Duration } from "../parts/duration.tsx";
import { Words } from "../parts/field.tsx";
import { permissionLabels } from "../parts/permission-labels.ts";
import { shortPath } from "../parts/place-words.ts";
import { plainLine } from "../parts/plain-line.ts";
import { StatusDot } from "../parts/status-dot.tsx";
import { costWords, doingWords, dotOf } from "./agent-doing.ts";
import { AgentMenu } from "./agent-menu.tsx";
import { AgentMessages } from "./agent-messages.tsx";
import { MessageForm } from "./message-form.tsx";

interface AgentRowProps {
  readonly agent: AgentView;
  /** Something was done to the agent. */
  readonly onChange: () => void;
}

/** One agent: what it does, since when, what waits in its queue, what it cost; and what can be done about it. */
export function AgentRow({ agent, onChange }: AgentRowProps) {
  const { name, sessionId, doing, report, lastLine, lane, chatLost } = agent;
  const [isWriting, setWriting] = useState(false);
  return (
    <li className="px-3 py-3 sm:px-4">
      <div className="flex items-start gap-3 max-sm:flex-wrap">
        <span className="mt-1.5 flex">
          <StatusDot status={dotOf(agent)} />
        </span>
        <div className="min-w-0 flex-1 max-sm:basis-4/5">
          <h2 className="flex flex-wrap items-center gap-x-2">
            <Link
              className="inline-flex items-center font-medium hover:underline max-md:-my-2 max-md:min-h-10 max-md:min-w-10"
              href={`/s/${sessionId}`}
            >
              {name}
            </Link>
            {lane === "sim" && <SimulatedBadge />}
          </h2>
          <p className={`[overflow-wrap:anywhere] ${tones[doing.kind]}`}>
            {doingWords(agent)} · <Duration since={doing.since} />
          </p>
          {chatLost === true && (
            <p className="text-warn">Its chat is gone upstream: the next turn begins a new one with the transcript.</p>
          )}
          <p className="truncate text-soft">
            <Words text={plainLine(report?.text ?? lastLine)} />
          </p>
          <Facts agent={agent} />
        </div>
        <div className="flex shrink-0 items-center gap-1 max-sm:ml-auto">
          <Button aria-expanded={isWriting} onClick={() => setWriting(!isWriting)}>
            Message<span className="sr-only"> {name}</span>
          </Button>
          <AgentMenu agent={agent} onChange={onChange} />
        </div>
      </div>
      {agent.toHuman.length > 0 && (
        <ul className="mt-2 flex flex-col gap-2 pl-5">
          <AgentMessages name={name} since={agent.toHuman.length} />
        </ul>
      )}
      {isWriting && <MessageForm agent={agent} onClose={() => setWriting(false)} onSent={onChange} />}
    </li>
  );
}

const tones = {
  idle: "text-soft",
  running: "text-accent",
  waiting: "text-warn",
  queued: "text-soft",
  suspended: "text-soft",
} as const;

function Facts({ agent }: { readonly agent: AgentView }) {
  const { waiting, model, workspace, worktree, permission, sandbox } = agent;
  const cost = costWords(agent);
  return (
    <p className="flex flex-wrap gap-x-3 text-[12px] text-faint">
      {waiting > 0 && (
        <span className="text-ink">{waiting === 1 ? "1 message waits" : `${waiting} messages wait`}</span>
      )}
      {cost !== undefined && <span>{cost}</span>}
      <span>{model ?? "default model"}</span>
      <span>{permissionLabels[permission]}</span>
      {sandbox !== "off" && <span>sandbox {sandbox}</span>}
      {worktree === undefined ? (
        <span title={workspace}>{shortPath(workspace)}</span>
      ) : (
        <span className="inline-flex items-center gap-1" title={worktree.repository}>
          <GitBranch aria-hidden="true" size={12} /> {worktree.branch}
        </span>
      )}
    </p>
  );
}
