import { RefreshCw } from "lucide-react";
import { Button } from "../parts/button.tsx";
import { Empty } from "../parts/placeholders.tsx";
import { LoadedView } from "../screen/loaded-view.tsx";
import { ScreenFrame } from "../screen/screen-frame.tsx";
import { fleetSummary, machinesOf } from "./fleet-words.ts";
import { MachineCard } from "./machine-card.tsx";
import { type FleetRefusal, refusalOf, useFleet } from "./use-fleet.ts";
import { WaitingTurns } from "./waiting-turns.tsx";

/** The machines of the fleet, what they do, and what waits for them. */
export function FleetScreen() {
  const fleet = useFleet();
  const refusal = refusalOf(fleet.error);
  return (
    <ScreenFrame
      about="The gateways and workers that share this history, and the turns that wait for a worker."
      actions={
        refusal === undefined && (
          <Button icon={<RefreshCw aria-hidden="true" size={16} />} onClick={fleet.reload}>
            Read again
          </Button>
        )
      }
      title="Fleet"
    >
      {refusal === undefined ? (
        <LoadedView loaded={fleet} waiting="Asking the fleet's database">
          {(view) => (
            <>
              <p className="mb-4 font-medium">{fleetSummary(view)}</p>
              <WaitingTurns fleet={view} />
              <h2 className="mt-6 mb-2 font-medium">Machines</h2>
              <ul aria-label="Machines" className="flex flex-col gap-3">
                {machinesOf(view.members).map((machine) => (
                  <MachineCard key={machine.machine} machine={machine} />
                ))}
              </ul>
            </>
          )}
        </LoadedView>
      ) : (
        <Refused refusal={refusal} />
      )}
    </ScreenFrame>
  );
}

function Refused({ refusal }: { readonly refusal: FleetRefusal }) {
  if (refusal === "forbidden")
    return (
      <Empty title="Only administrators see the fleet">
        Sign in with a link that an administrator made: <code>caret link</code> on the gateway's machine.
      </Empty>
    );
  return (
    <Empty title="This gateway is by itself">
      It is part of a fleet when it is started with <code>store</code>, the address of the fleet's database.
    </Empty>
  );
}
