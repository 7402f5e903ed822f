import {
  CaretError,
  createNativeClient,
  type EventEnvelope,
  type NativeClient,
  type TurnOutcome,
} from "@caret/protocol";
import type { GatewayProcess } from "../clients/gateway-process.ts";

/** One gateway after the other, as a load balancer would give them. */
export type NextGateway = () => Promise<GatewayProcess>;

/** How a client's turn ended, as the client knows it. */
export interface ClientTurn {
  readonly prompt: string;
  readonly outcome: "completed" | "interrupted" | "failed";
  /** Undefined where the client heard that it never began. */
  readonly turnId: string | undefined;
}

/** Only ends what hangs: on a busy machine gateways are killed nearly as soon as they have started. */
const PATIENCE_MS = 900_000;

/** A client that asks another gateway whenever one does not answer, always under the same key: what it asks for is done once. */
export class PatientClient {
  readonly #next: NextGateway;
  readonly events: EventEnvelope[] = [];
  sessionId = "";

  constructor(next: NextGateway) {
    this.#next = next;
  }

  async create(workspace: string, key: string): Promise<void> {
    const make = (caret: NativeClient) =>
      caret.createSession({ workspace, permission: "full" }, { idempotencyKey: key });
    // A worker that was lost may have made it: under the same key there is one all the same.
    const session = await this.#ask(make, (error) => isPassing(error) || error.code === "interrupted");
    this.sessionId = session.id;
  }

  async turn(prompt: string, key: string): Promise<ClientTurn> {
    try {
      const { turnId } = await this.#ask((caret) =>
        caret.startTurn(this.sessionId, { prompt }, { idempotencyKey: key }),
      );
      const end = await this.#follow(turnId);
      if (end.kind !== "failed") return { prompt, turnId, outcome: "completed" };
      return { prompt, turnId, outcome: end.error.code === "interrupted" ? "interrupted" : "failed" };
    } catch (reason) {
      if (CaretError.from(reason).code !== "interrupted") throw reason;
      return { prompt, turnId: undefined, outcome: "interrupted" };
    }
  }

  async #ask<Answer>(work: (caret: NativeClient) => Promise<Answer>, again = isPassing): Promise<Answer> {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const { url, token } = await this.#next();
      try {
        return await work(createNativeClient({ baseUrl: url, headers: { authorization: `Bearer ${token}` } }));
      } catch (reason) {
        if (Date.now() > until || !again(CaretError.from(reason))) throw reason;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  /** Every event once, in order, from whichever gateways are there. */
  async #follow(turnId: string): Promise<TurnOutcome> {
    for (;;) {
      const gateway = await this.#next();
      const died = new AbortController();
      void gateway.exited.then(() => died.abort());
      const signal = AbortSignal.any([died.signal, AbortSignal.timeout(20_000)]);
      const outcome = await this.#read(gateway, turnId, signal).catch((reason: unknown) => {
        if (!signal.aborted && !isPassing(CaretError.from(reason))) throw reason;
      });
      if (outcome !== undefined) return outcome;
    }
  }

  async #read({ url, token }: GatewayProcess, turnId: string, signal: AbortSignal): Promise<TurnOutcome | undefined> {
    const caret = createNativeClient({ baseUrl: url, headers: { authorization: `Bearer ${token}` } });
    const after = this.events.at(-1)?.seq ?? 0;
    for await (const batch of caret.followEvents(this.sessionId, { after, signal })) {
      this.events.push(...batch);
      const end = batch.find((stored) => stored.event.type === "turn-end" && stored.turnId === turnId)?.event;
      if (end?.type === "turn-end") return end.outcome;
    }
    return undefined;
  }
}

/** The gateway is gone, or the database away: what another one may not say. An interrupted turn is an answer. */
function isPassing({ code, retryable }: CaretError): boolean {
  return code !== "interrupted" && (retryable || code === "internal" || code === "storage-failed");
}
