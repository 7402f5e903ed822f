import type { Members } from "@caret/fleet";
import type { Metrics } from "@caret/gateway";
import { CaretError, type FleetView, type LaneName } from "@caret/protocol";
import type { ListedModel, LogStore, TokenShelf } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import type { OpenedEngine } from "../engine/compose.ts";
import type { LaneProbe } from "../engine/lane-probe.ts";
import { version } from "../host/program.ts";
import type { GatewayPorts, GatewayPortsOptions } from "../ports/gateway-ports.ts";
import type { FleetTokens } from "../tokens/open-token-store.ts";
import { openFleetMetrics } from "./fleet-metrics.ts";
import { openFleetPorts } from "./fleet-ports.ts";
import { LEAVE_MS, leaveInTime } from "./leave-in-time.ts";
import { openFleet } from "./open-fleet.ts";

const SWEEP_MS = 10_000;

/** What a fleet's gateway has in place of its own agents. */
export interface GatewayFleet {
  readonly store: LogStore;
  /** The tokens all gateways share. */
  readonly tokens: TokenShelf & FleetTokens;
  /** The engine as doors see it, with the lane and models of the workers. */
  dress(opened: OpenedEngine): Promise<OpenedEngine>;
  openPorts(options: GatewayPortsOptions): GatewayPorts;
  /** The fleet's machines and queue. */
  readonly view: () => Promise<FleetView>;
  /** Rejects if the database accepts no writes. */
  readonly assertWritable: () => Promise<void>;
  /** Waits for a gateway without turns to close. Rejects if the database prevents that. */
  leave(closing: Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export async function openGatewayFleet(
  config: Config,
  metrics: Metrics,
  onError: (error: CaretError) => void,
): Promise<GatewayFleet> {
  const { seat, store, close } = await openFleet(config, { role: "gateway", onError });
  const {
    assertWritable,
    countFleet,
    createPostgresAnswerArchive,
    createPostgresTokens,
    openFleetGateway,
    openKnownTokens,
    readFleet,
  } = await import("@caret/fleet");
  const failed = async (reason: unknown): Promise<never> => {
    await close();
    throw reason;
  };
  const gateway = await openFleetGateway({ seat, version, onError }).catch(failed);
  const tokens = createPostgresTokens(seat.database);
  const answers = createPostgresAnswerArchive({ ...seat, onError });
  const known = await openKnownTokens({ tokens, listener: seat.listener, onError }).catch(failed);
  // Workers are not allowed to delete events: they hide a deleted session, and its events are removed here.
  const sweep = (): void => void store.removeLeftovers().catch((reason: unknown) => onError(CaretError.from(reason)));
  const sweeping = setInterval(sweep, SWEEP_MS).unref();
  const view = (): Promise<FleetView> => readFleet(seat.database);
  const endMetrics = openFleetMetrics({ metrics, count: () => countFleet(seat.database), onError });
  return {
    store,
    tokens: {
      ...tokens,
      current: known.current,
      async add(token) {
        await tokens.add(token);
        await known.lookNow();
      },
      async revoke(name, at) {
        const revoked = await tokens.revoke(name, at);
        await known.lookNow();
        return revoked;
      },
      async revokeMadeBy(makers, at) {
        const revoked = await tokens.revokeMadeBy(makers, at);
        await known.lookNow();
        return revoked;
      },
    },
    async dress(opened) {
      const [worker] = await workersOf(gateway.members);
      const lane = (worker?.about.defaultLane ?? opened.lane) as LaneName;
      return { ...opened, lane, probe: fleetProbe(gateway.members), notes: [notes(worker?.machine)] };
    },
    openPorts: (options) => openFleetPorts({ ...options, answers }, gateway),
    view,
    assertWritable: () => assertWritable(seat.database),
    leave: (closing) => leaveInTime("gateway", closing, LEAVE_MS),
    async close() {
      clearInterval(sweeping);
      endMetrics();
      known.close();
      await close();
    },
  };
}

function notes(machine: string | undefined): string {
  return machine === undefined
    ? "No worker is there yet: start `caret worker` with the same store"
    : "Turns run on the workers of the fleet";
}

async function workersOf(members: Members) {
  return (await members.list()).filter(({ role, isThere }) => role === "worker" && isThere);
}

/** Asks the connected workers. */
function fleetProbe(members: Members): LaneProbe {
  return {
    async ready() {
      if ((await workersOf(members)).length > 0) return;
      throw new CaretError("agent-unavailable", "No worker of the fleet is there", {
        fix: "Start `caret worker` with the same store on a machine with an agent.",
      });
    },
    // Workers report their models themselves.
    modelsFrom: async () => ({ account: "fleet", state: "" }),
    async listModels() {
      const [worker] = await workersOf(members);
      return (worker?.about.models ?? []) as readonly ListedModel[];
    },
  };
}
