import { readFile } from "node:fs/promises";
import { type AgentCommandView, CaretError, type JsonObject } from "@caret/protocol";
import type { UpstreamAttachment } from "../../log/event-store.ts";
import type { ResolvedProfile } from "../../profiles/profile.ts";
import type { Attempt } from "../../profiles/rotation.ts";
import type { AgentHost } from "../cli/agent-host.ts";
import { agentOrigin } from "../cli/agent-origin.ts";
import { findProgram } from "../cli/agent-program.ts";
import { type OfferedTurn, openBridgedTurn, ownTurn } from "../cli/offered-turn.ts";
import type { LaneRequest } from "../lane.ts";
import type { OpenedAttempt } from "../run-attempts.ts";
import { createTurnClocks, turnLimits } from "../turn-clocks.ts";
import type { AcpProcess, OpenedSession } from "./acp-process.ts";
import type { AcpLease, AcpProcesses } from "./acp-processes.ts";
import { AcpTurn } from "./acp-turn.ts";
import { openSession } from "./open-session.ts";
import { chooseMode, chooseModel } from "./session-choices.ts";
import { type AcpCommand, explainRefusal, explainWords } from "./start-acp-process.ts";

/** Sent to the agent when its plan was accepted. */
const GO_ON = "The user has accepted the plan. Carry it out now.";

export interface AcpAttempt {
  readonly host: AgentHost;
  readonly processes: AcpProcesses;
  readonly request: LaneRequest;
  readonly attempt: Attempt;
  readonly signal: AbortSignal;
  /** The agent announced its commands in a workspace. */
  readonly onCommands: (workspace: string, commands: readonly AgentCommandView[]) => void;
}

/** What an attempt knows before it sends its prompt. */
interface Prepared {
  readonly command: AcpCommand;
  /** As configured. */
  readonly program: string | undefined;
  readonly profile: ResolvedProfile;
  readonly offered: OfferedTurn;
}

/** Opens a process and a session for one attempt at a turn. Rejects with a `CaretError` if it cannot, leaving nothing behind. */
export async function openAcpAttempt(turn: AcpAttempt): Promise<OpenedAttempt> {
  const prepared = await prepare(turn);
  const { offered } = prepared;
  let lease: AcpLease | undefined;
  try {
    lease = await takeProcess(turn, prepared);
    const { process, release, abandon } = lease;
    const { acquired, model } = await prepareSession(turn, prepared, process);
    const found = { process, abandon, session: acquired, model };
    return {
      async run(take) {
        try {
          await new AcpTurn(turnOptions(turn, prepared, found), take).run();
        } finally {
          offered.leave();
          await release();
        }
      },
    };
  } catch (reason) {
    offered.leave();
    await lease?.release();
    throw explainRefusal(reason, prepared.command);
  }
}

async function prepare({ host, request, attempt, signal, onCommands }: AcpAttempt): Promise<Prepared> {
  const program = findProgram(attempt.model, host.programs);
  if (program.style === "contract")
    throw new CaretError("unsupported", `${attempt.model} is run by a program that does not speak ACP`, {
      fix: "Use the `cli` lane for this model.",
    });
  const profile = await host.resolveProfile(attempt.profile);
  host.noteSecrets(Object.values(profile.env));
  const launch = await host.resolveLaunch(program.command);
  // Useful to know, but not worth waiting for.
  void host.versions.find(launch, host.environment(profile));
  const offered =
    (await openOwnServer(host, request, profile)) ??
    (await openBridgedTurn(host, request, host.agentFiles(profile), signal));
  const isOffered = request.offered !== undefined;
  const { workspace } = request;
  return {
    command: { host, workspace, profile, launch, isOffered, covered: offered.covered, onCommands },
    program: program.command,
    profile,
    offered,
  };
}

/** Caret's server comes with the session; the user's servers belong to the process, which other sessions share. */
async function openOwnServer(
  host: AgentHost,
  request: LaneRequest,
  profile: ResolvedProfile,
): Promise<OfferedTurn | undefined> {
  const { registration, offered } = request;
  if (registration === undefined || offered !== undefined) return undefined;
  // Loaded only for a named agent with full access; no other turn needs these.
  const { registeredServers } = await import("../cli/registered-servers.ts");
  const { approveOwn } = await import("../cli/registered-turn.ts");
  const files = host.agentFiles(profile);
  const servers = registeredServers(registration, request.sandbox, files);
  const env = host.environment(profile);
  return { ...ownTurn, servers: [approveOwn({ host, request, registration, servers, files, env })] };
}

/**
 * Offered tools require files in the agent's workspace for one turn, so its process serves only that turn; the same goes for a side call.
 */
async function takeProcess(
  { processes, request, attempt, signal }: AcpAttempt,
  { command, program }: Prepared,
): Promise<AcpLease> {
  if (command.isOffered || request.isAside === true) return await processes.takeOwn({ ...command, signal });
  const taking = processes.take(agentOrigin({ ...command, profileName: attempt.profile, command: program }), command);
  const stopped = Promise.withResolvers<never>();
  const onAbort = (): void => stopped.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([taking, stopped.promise]);
  } catch (reason) {
    // The process may still start, for the next turn.
    taking.then((lease) => lease.release()).catch(() => undefined);
    throw reason;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function prepareSession(
  { host, request, attempt }: AcpAttempt,
  { offered }: Prepared,
  process: AcpProcess,
): Promise<{ readonly acquired: OpenedSession; readonly model: string | undefined }> {
  const acquired = await openSession(process, {
    workspace: request.workspace,
    sessionId: request.upstream?.sessionId,
    servers: offered.servers,
    waitMs: host.clocks.firstEventMs,
  });
  const model = await process.chooseAlone(() => chooseModel(process, acquired, attempt.model));
  return { acquired, model };
}

interface Found extends Pick<AcpLease, "process" | "abandon"> {
  readonly session: OpenedSession;
  readonly model: string | undefined;
}

function turnOptions(
  turn: AcpAttempt,
  { command, profile, offered }: Prepared,
  { process, abandon, session, model }: Found,
): ConstructorParameters<typeof AcpTurn>[0] {
  const { host, request, attempt, signal } = turn;
  const version = host.versions.known(command.launch);
  const upstream: UpstreamAttachment = {
    lane: "acp",
    sessionId: session.id,
    configDir: profile.configDir ?? host.chatConfigDir(),
    ...(version === undefined ? {} : { version }),
  };
  return {
    process,
    session,
    request,
    signal,
    clocks: createTurnClocks(turnLimits(host.clocks, request.offered !== undefined), host.monotonic),
    now: host.monotonic,
    prompt: (isAfterPlan, onSent) =>
      sendPrompt(turn, { process, session, onSent }, isAfterPlan ? { mode: "agent", text: GO_ON } : undefined),
    ready: {
      event: {
        type: "session-ready",
        sessionId: session.id,
        workspace: request.workspace,
        model: model ?? attempt.model,
        ...(version === undefined ? {} : { version }),
      },
      upstream,
    },
    show: offered.show,
    shown: offered.taken,
    leave: offered.leave,
    abandon,
    explain: (reason) => explainRefusal(reason, command),
    explainWords: (words) => explainWords(words, command),
  };
}

/** Choosing mode and model and sending the prompt must not be interleaved with another session's choice. */
async function sendPrompt(
  { request, attempt, signal }: AcpAttempt,
  { process, session, onSent }: Pick<Found, "process" | "session"> & { readonly onSent: () => void },
  instead: { readonly mode: string; readonly text: string } | undefined,
): Promise<JsonObject> {
  const prompt = instead === undefined ? await promptOf(request) : [{ type: "text", text: instead.text }];
  const sent = await process.chooseAlone(async () => {
    await chooseMode(process, session, instead?.mode ?? request.mode);
    await chooseModel(process, session, attempt.model);
    signal.throwIfAborted();
    const answer = process.request("session/prompt", { sessionId: session.id, prompt });
    onSent();
    return { answer };
  });
  return await sent.answer;
}

async function promptOf({ prompt, images = [] }: LaneRequest): Promise<readonly JsonObject[]> {
  const pictures = await Promise.all(
    images.map(async ({ path, mediaType }) => {
      const data = (await readFile(path)).toString("base64");
      return { type: "image", data, mimeType: mediaType };
    }),
  );
  return [{ type: "text", text: prompt }, ...pictures];
}
