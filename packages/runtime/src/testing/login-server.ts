import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  CreateUserApiKeyRequestSchema,
  CreateUserApiKeyResponseSchema,
  GetMeResponseSchema,
  ListUserApiKeysResponseSchema,
  RevokeUserApiKeyRequestSchema,
} from "@caret/protocol/agent-api/account";

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly body: Buffer;
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

type Respond = (request: SeenRequest) => Answer | Promise<Answer>;

/** A server that speaks what a login and an exchange need. Tests replace what it answers. */
export class LoginServer {
  readonly seen: SeenRequest[] = [];
  readonly answers = new Map<string, Respond>();
  readonly keys = new Map<string, number>();
  readonly #server: Server;
  #tokens = 0;

  constructor() {
    this.answers.set("/auth/exchange_user_api_key", ({ authorization }) => this.#exchange(authorization));
    this.#dashboard();
    this.#server = createServer(async (request, response) => {
      const asked = await toSeen(request);
      this.seen.push(asked);
      const respond = this.answers.get(asked.url.split("?", 1)[0] ?? "");
      const { status = 200, headers = {}, body = "" } = (await respond?.(asked)) ?? { status: 404, body: "Not found" };
      response.writeHead(status, { ...headers }).end(body);
    });
  }

  async listen(): Promise<URL> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  /** The paths that were asked for, in order. */
  paths(): readonly string[] {
    return this.seen.map(({ url }) => url);
  }

  /** A token that is valid for so long, as a server makes it. */
  newToken(lifeMs: number, now: number): string {
    this.#tokens += 1;
    const claims = { sub: `token-${this.#tokens}`, iat: now / 1000, exp: (now + lifeMs) / 1000 };
    return ["{}", JSON.stringify(claims), "signature"].map((part) => Buffer.from(part).toString("base64url")).join(".");
  }

  #exchange(authorization: string | undefined): Answer {
    const key = authorization?.replace(/^Bearer /, "") ?? "";
    if (!this.keys.has(key)) return { status: 401, body: `unknown key ${key}` };
    return { body: JSON.stringify({ accessToken: this.newToken(3_600_000, Date.now()), refreshToken: "unused" }) };
  }

  #dashboard(): void {
    const on = (method: string, respond: (body: Buffer) => Uint8Array): void => {
      this.answers.set(`/aiserver.v1.DashboardService/${method}`, ({ body }) => ({ body: respond(body) }));
    };
    const names = new Map<number, string>();
    on("GetMe", () => toBinary(GetMeResponseSchema, create(GetMeResponseSchema, { email: "ada@example.com" })));
    on("CreateUserApiKey", (body) => {
      const { name } = fromBinary(CreateUserApiKeyRequestSchema, body);
      const id = this.keys.size + 41;
      names.set(id, name);
      this.keys.set(`key_made_${id}`, id);
      return toBinary(
        CreateUserApiKeyResponseSchema,
        create(CreateUserApiKeyResponseSchema, { apiKey: `key_made_${id}` }),
      );
    });
    on("ListUserApiKeys", () => {
      const apiKeys = [...names].map(([id, name]) => ({ id, name }));
      return toBinary(ListUserApiKeysResponseSchema, create(ListUserApiKeysResponseSchema, { apiKeys }));
    });
    on("RevokeUserApiKey", (body) => {
      const { id } = fromBinary(RevokeUserApiKeyRequestSchema, body);
      for (const [key, found] of this.keys) if (found === id) this.keys.delete(key);
      return new Uint8Array();
    });
  }
}

async function toSeen(request: IncomingMessage): Promise<SeenRequest> {
  const { method = "", url = "", headers } = request;
  return { method, url, authorization: headers.authorization, body: await buffer(request) };
}
