import { Plus } from "lucide-react";
import { useState } from "react";
import { useAbout } from "../data/page-hooks.ts";
import { Button } from "../parts/button.tsx";
import { Empty } from "../parts/placeholders.tsx";
import { LoadedView } from "../screen/loaded-view.tsx";
import { ScreenFrame } from "../screen/screen-frame.tsx";
import { inOrder } from "./agent-doing.ts";
import { AgentRow } from "./agent-row.tsx";
import { NewAgentDialog } from "./new-agent-dialog.tsx";
import { useAgents } from "./use-agents.ts";

/** Who works, who waits, for what, since when, and at what cost. */
export function AgentsScreen() {
  const about = useAbout();
  const agents = useAgents();
  const [isCreating, setCreating] = useState(false);
  return (
    <ScreenFrame
      about="Named agents with a workspace and a queue of their own. They go on working when this page is closed."
      actions={
        <Button icon={<Plus aria-hidden="true" size={14} />} onClick={() => setCreating(true)} tone="primary">
          New agent
        </Button>
      }
      title="Agents"
    >
      <LoadedView loaded={agents} waiting="Looking for agents">
        {(list) =>
          list.length === 0 ? (
            <Empty title="No agents yet">
              An agent keeps its session, its workspace and its queue until you remove it. Give it work here, from a
              terminal with <code>caret agent send</code>, or from another agent.
            </Empty>
          ) : (
            <ul aria-label="Agents" className="divide-y divide-line rounded-lg border border-line bg-raised">
              {inOrder(list).map((agent) => (
                <AgentRow agent={agent} key={agent.name} onChange={agents.reload} />
              ))}
            </ul>
          )
        }
      </LoadedView>
      {isCreating && about !== undefined && (
        <NewAgentDialog about={about} onClose={() => setCreating(false)} onCreated={agents.reload} />
      )}
    </ScreenFrame>
  );
}
