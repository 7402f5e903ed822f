import {
  type AgentApp,
  type AgentRequestContext,
  agent,
  type InitializeResponse,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk";
import { CaretError, type NativeClient } from "@caret/protocol";
import { z } from "zod";
import { AcpConnection, type AcpConnectionOptions } from "./acp-connection.ts";
import { featuresOf } from "./client-features.ts";
import { toRequestError } from "./errors.ts";

export interface ServeAcpOptions extends AcpConnectionOptions {
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
  readonly version: string;
  /** How a person starts Caret on this machine. */
  readonly command: string;
}

export interface AcpServer {
  /** Resolves when the client has left. */
  readonly closed: Promise<void>;
  close(): void;
}

const LOGIN = "cursor_login";

/** From the protocol before config options. */
const setModel = z.object({ sessionId: z.string(), modelId: z.string() });

/** `caret acp`: serves a gateway's sessions to one client of the Agent Client Protocol. Reaches the gateway only through its client. */
export function serveAcp(options: ServeAcpOptions): AcpServer {
  let connection: AcpConnection | undefined;
  const app = agent({ name: "caret" }).onConnect(({ client, signal }) => {
    connection = new AcpConnection(client, signal, options);
  });
  const served = (): AcpConnection => {
    if (connection === undefined) throw new CaretError("internal", "A request came before its connection");
    return connection;
  };
  /** Answers every failure with one of our errors; the connection stays open. */
  const typed =
    <Params, Answer>(handle: (acp: AcpConnection, context: AgentRequestContext<Params>) => Promise<Answer>) =>
    async (context: AgentRequestContext<Params>): Promise<Answer> => {
      try {
        return await handle(served(), context);
      } catch (reason) {
        throw toRequestError(reason, options.command);
      }
    };
  gatewayMethods(app, options, typed);
  sessionMethods(app, typed);
  turnMethods(app, typed);
  app.onNotification(methods.agent.session.cancel, async ({ params }) => {
    // A notification has no answer: one for a session that is not open has nothing to stop.
    await served().cancel(params.sessionId);
  });
  const { closed, close } = app.connect(ndJsonStream(options.output, options.input));
  return { closed, close };
}

type Typed = <Params, Answer>(
  handle: (acp: AcpConnection, context: AgentRequestContext<Params>) => Promise<Answer>,
) => (context: AgentRequestContext<Params>) => Promise<Answer>;

function gatewayMethods(app: AgentApp, options: ServeAcpOptions, typed: Typed): void {
  app
    .onRequest(
      methods.agent.initialize,
      typed(async (acp, { params }) => {
        acp.features = featuresOf(params.clientCapabilities);
        return introduction(options.version, await takesPictures(options));
      }),
    )
    .onRequest(
      methods.agent.authenticate,
      typed(async (_acp, { params }) => {
        if (params.methodId !== LOGIN)
          throw new CaretError("invalid-request", `There is no authentication method \`${params.methodId}\``);
        await assertReady(options.caret);
        return {};
      }),
    );
}

function introduction(version: string, image: boolean): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "caret", title: "Caret", version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: false },
      sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {} },
    },
    authMethods: [
      {
        id: LOGIN,
        name: "Cursor login",
        description: "Uses the login of Cursor's CLI (`agent login`), of `caret login`, or CURSOR_API_KEY.",
      },
    ],
  };
}

/** Whether a new session can be given pictures: directly on lanes that pass them on, as files if the agent has tools of its own. */
async function takesPictures({ caret, newSession }: ServeAcpOptions): Promise<boolean> {
  try {
    const { lanes, defaultLane, defaultPermission } = await caret.about();
    if ((newSession.permission ?? defaultPermission) === "full") return true;
    const name = newSession.lane ?? defaultLane;
    return lanes.some(({ lane, takesImages = false }) => lane === name && takesImages);
  } catch {
    return false; // the first session reports what is wrong with the gateway
  }
}

/** Caret keeps no login of its own here: a lane that is ready has one. */
async function assertReady(caret: Pick<NativeClient, "about">): Promise<void> {
  const { lanes, defaultLane } = await caret.about();
  const state = lanes.find(({ lane }) => lane === defaultLane);
  if (state?.ready === true) return;
  throw new CaretError("not-logged-in", state?.detail ?? `The lane ${defaultLane} is not ready`);
}

function sessionMethods(app: AgentApp, typed: Typed): void {
  const { session } = methods.agent;
  app
    .onRequest(
      session.new,
      typed((acp, { params }) => acp.create(params)),
    )
    .onRequest(
      session.load,
      typed((acp, { params }) => acp.load(params)),
    )
    .onRequest(
      session.resume,
      typed((acp, { params }) => acp.resume(params)),
    )
    .onRequest(
      session.list,
      typed((acp, { params }) => acp.list(params)),
    )
    .onRequest(
      session.close,
      typed(async (acp, { params }) => acp.close(params.sessionId)),
    )
    .onRequest(
      session.delete,
      typed(async (acp, { params }) => acp.delete(params.sessionId)),
    );
}

function turnMethods(app: AgentApp, typed: Typed): void {
  const { session } = methods.agent;
  app
    .onRequest(
      session.prompt,
      typed((acp, { params, signal }) => acp.find(params.sessionId).session.prompt(params.prompt, signal)),
    )
    .onRequest(
      session.setMode,
      typed((acp, { params }) => acp.setMode(params.sessionId, params.modeId)),
    )
    .onRequest(
      session.setConfigOption,
      typed(async (acp, { params: { sessionId, configId, value } }) => ({
        configOptions: await acp.setOption(sessionId, configId, value),
      })),
    )
    .onRequest(
      "session/set_model",
      setModel,
      typed(async (acp, { params: { sessionId, modelId } }) => {
        await acp.setOption(sessionId, "model", modelId);
        return {};
      }),
    );
}
