import type { FleetMemberView } from "@caret/protocol";
import { Badge } from "../parts/badge.tsx";
import { Duration } from "../parts/duration.tsx";
import { type FleetMachine, loadWords, memberStates } from "./fleet-words.ts";

/** A machine, with its workers and gateways. */
export function MachineCard({ machine: { machine, members } }: { readonly machine: FleetMachine }) {
  return (
    <li className="overflow-hidden rounded-lg border border-line bg-raised">
      <h3 className="border-line border-b bg-panel px-3 py-2 font-medium [overflow-wrap:anywhere] sm:px-4">
        {machine}
      </h3>
      <ul aria-label={`Members on ${machine}`} className="divide-y divide-line">
        {members.map((member) => (
          <MemberRow key={member.id} member={member} />
        ))}
      </ul>
    </li>
  );
}

function MemberRow({ member }: { readonly member: FleetMemberView }) {
  const { role, state, lanes, version, seenAt } = member;
  const { words, tone } = memberStates[state];
  return (
    <li className="flex flex-col gap-1 px-3 py-2.5 sm:px-4">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium">{role === "worker" ? "Worker" : "Gateway"}</span>
        <Badge tone={tone}>{words}</Badge>
        {lanes.map((lane) => (
          <Badge key={lane}>{lane}</Badge>
        ))}
      </p>
      {role === "worker" && <Load member={member} />}
      <p className="flex flex-wrap gap-x-3 text-[12px] text-faint">
        <span>
          last heartbeat <Duration since={seenAt} /> ago
        </span>
        <span>version {version}</span>
      </p>
    </li>
  );
}

/** The bar says nothing to screen readers: the numbers stand beside it. */
function Load({ member }: { readonly member: FleetMemberView }) {
  const { atWork, capacity } = member;
  const isFull = atWork >= capacity;
  return (
    <p className="flex items-center gap-3 text-[13px] text-soft">
      <svg
        aria-hidden="true"
        className="block h-1.5 w-28 shrink-0 overflow-hidden rounded-full sm:w-48"
        preserveAspectRatio="none"
        viewBox={`0 0 ${Math.max(1, capacity)} 1`}
      >
        <rect className="fill-line" height={1} width={Math.max(1, capacity)} />
        <rect className={isFull ? "fill-warn" : "fill-accent"} height={1} width={Math.min(atWork, capacity)} />
      </svg>
      <span className="tabular-nums">{loadWords(member)}</span>
    </p>
  );
}
