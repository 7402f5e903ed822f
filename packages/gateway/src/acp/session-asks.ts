import {
  type AgentContext,
  type ClientRequestParamsByMethod,
  type ClientRequestResponsesByMethod,
  methods,
} from "@agentclientprotocol/sdk";
import {
  type AgentEventOf,
  type AnswerQuestion,
  CaretError,
  type EventEnvelope,
  type NativeClient,
} from "@caret/protocol";
import type { ClientFeatures } from "./client-features.ts";
import { permissionRequest, toAnswer } from "./permission-request.ts";
import {
  elicitation,
  fromElicitation,
  fromPermission,
  type QuestionAnswer,
  questionAsPermission,
} from "./question-forms.ts";

type Ask = AgentEventOf<"approval-request"> | AgentEventOf<"question">;

/** Nothing runs unless someone allowed it. */
const NOT_ASKED = { decision: "rejected", reason: "The client cannot be asked" } as const;

export interface SessionAsksOptions {
  readonly caret: Pick<NativeClient, "answerApproval" | "answerQuestion">;
  readonly client: Pick<AgentContext, "request">;
  readonly sessionId: string;
  readonly workspace: string;
  readonly features: ClientFeatures;
  /** Fires when the client is gone: its open requests then wait for others, for example on the page. */
  readonly gone: AbortSignal;
  readonly onError: (error: CaretError) => void;
}

interface OpenAsk {
  readonly ask: Ask;
  readonly turnId: string;
  /** Present once the client was asked; aborting it withdraws the request. */
  asked?: AbortController;
}

/** Puts to the client what a session's turns wait for a person with. The first answer counts, here or elsewhere. */
export class SessionAsks {
  readonly #options: SessionAsksOptions;
  readonly #open = new Map<string, OpenAsk>();
  /** The client has cancelled: its later answers decide nothing. */
  #isCancelled = false;

  constructor(options: SessionAsksOptions) {
    this.#options = options;
  }

  /** Records new requests and withdraws those answered elsewhere. */
  note(batch: readonly EventEnvelope[]): void {
    for (const { event, turnId } of batch) {
      switch (event.type) {
        case "turn-start":
          this.#isCancelled = false;
          break;
        case "approval-request":
        case "question":
          // The answer is about what was first shown under an id.
          if (!this.#open.has(event.requestId)) this.#open.set(event.requestId, { ask: event, turnId });
          break;
        case "approval-answer":
        case "question-answer":
          this.#withdraw(event.requestId);
          break;
        case "turn-end":
          this.#withdrawAllOf(turnId);
          break;
        default:
      }
    }
  }

  /** Asks the client everything not asked yet. */
  askOpen(): void {
    for (const open of this.#open.values()) {
      if (open.asked !== undefined) continue;
      open.asked = new AbortController();
      void this.#ask(open.ask, open.turnId, open.asked.signal);
    }
  }

  cancel(): void {
    this.#isCancelled = true;
  }

  #withdraw(requestId: string): void {
    this.#open.get(requestId)?.asked?.abort();
    this.#open.delete(requestId);
  }

  #withdrawAllOf(turnId: string): void {
    for (const [requestId, open] of this.#open) if (open.turnId === turnId) this.#withdraw(requestId);
  }

  async #ask(ask: Ask, turnId: string, withdrawn: AbortSignal): Promise<void> {
    try {
      if (ask.type === "question") await this.#question(ask, turnId, withdrawn);
      else await this.#approval(ask, turnId, withdrawn);
    } catch (reason) {
      // Answered elsewhere, or the turn is over: there is nothing left to decide.
      if (withdrawn.aborted || (CaretError.is(reason) && reason.code === "not-found")) return;
      this.#options.onError(CaretError.from(reason));
    }
  }

  async #approval(ask: AgentEventOf<"approval-request">, turnId: string, withdrawn: AbortSignal): Promise<void> {
    const { caret, sessionId } = this.#options;
    const asked = permissionRequest(ask, { ...this.#options, turnId });
    const answer = await this.#request(methods.client.session.requestPermission, asked, withdrawn);
    if (this.#isOver(withdrawn)) return;
    const decision = answer === undefined ? NOT_ASKED : toAnswer(answer.outcome);
    await caret.answerApproval(sessionId, ask.requestId, decision);
  }

  async #question(ask: AgentEventOf<"question">, turnId: string, withdrawn: AbortSignal): Promise<void> {
    const { caret, sessionId, features } = this.#options;
    const answer = await (features.takesForms ? this.#form(ask, turnId, withdrawn) : this.#one(ask, turnId, withdrawn));
    if (this.#isOver(withdrawn)) return;
    await caret.answerQuestion(sessionId, ask.requestId, answer).catch(async (reason: unknown) => {
      if (!CaretError.is(reason) || reason.code !== "invalid-request") throw reason;
      // The client answered with something that was not offered. The turn must not wait forever.
      this.#options.onError(reason);
      await caret.answerQuestion(sessionId, ask.requestId, {});
    });
  }

  async #form(ask: AgentEventOf<"question">, turnId: string, withdrawn: AbortSignal): Promise<AnswerQuestion> {
    const { sessionId } = this.#options;
    const asked = elicitation(ask, { sessionId, turnId });
    const answer = await this.#request(methods.client.elicitation.create, asked, withdrawn);
    return answer === undefined ? {} : fromElicitation(answer, ask);
  }

  /** One permission request per question; the first one skipped skips all. */
  async #one(ask: AgentEventOf<"question">, turnId: string, withdrawn: AbortSignal): Promise<AnswerQuestion> {
    const { sessionId } = this.#options;
    const answers: QuestionAnswer[] = [];
    for (const question of ask.questions) {
      const asked = questionAsPermission(question, ask, { sessionId, turnId });
      const response = await this.#request(methods.client.session.requestPermission, asked, withdrawn);
      const answer = response && fromPermission(response.outcome, question);
      if (answer === undefined) return {};
      answers.push(answer);
    }
    return { answers };
  }

  /** Undefined if the client cannot be asked, which does not fail the turn. */
  async #request<Method extends "session/request_permission" | "elicitation/create">(
    method: Method,
    params: ClientRequestParamsByMethod[Method],
    cancellationSignal: AbortSignal,
  ): Promise<ClientRequestResponsesByMethod[Method] | undefined> {
    try {
      const options = { cancellationSignal, stopWaitingOnCancel: true };
      return await this.#options.client.request(method, params, options);
    } catch (reason) {
      if (!this.#isOver(cancellationSignal)) this.#options.onError(notAsked(method, reason));
      return undefined;
    }
  }

  #isOver(withdrawn: AbortSignal): boolean {
    return withdrawn.aborted || this.#isCancelled || this.#options.gone.aborted;
  }
}

function notAsked(method: string, cause: unknown): CaretError {
  return new CaretError("upstream-error", `The client failed to answer ${method}`, {
    cause,
    fix: "Update the client: it does not take part in what its agent asks.",
  });
}
