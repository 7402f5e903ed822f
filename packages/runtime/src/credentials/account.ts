import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { CaretError, Secret } from "@caret/protocol";
import { DashboardService } from "@caret/protocol/agent-api/account";
import type { ControlServer } from "./control-server.ts";

interface Unary<Input extends DescMessage, Output extends DescMessage> {
  readonly name: string;
  readonly parent: { readonly typeName: string };
  readonly input: Input;
  readonly output: Output;
}

/** Makes one Connect call on the account's behalf. */
async function call<Input extends DescMessage, Output extends DescMessage>(
  server: ControlServer,
  method: Unary<Input, Output>,
  request: MessageInitShape<Input>,
  accessToken: Secret,
): Promise<MessageShape<Output>> {
  const { status, bytes } = await server.post({
    path: `/${method.parent.typeName}/${method.name}`,
    bearer: accessToken,
    contentType: "application/proto",
    body: new Uint8Array(toBinary(method.input, create(method.input, request))),
  });
  if (status === 200) return fromBinary(method.output, bytes);
  if (status === 401) throw new CaretError("not-logged-in", `${server.origin} does not accept the access token`);
  throw new CaretError("upstream-error", `${server.origin} refuses ${method.name} (status ${status})`);
}

/** Email address of the account behind a token; undefined if it has none. Rejects for an invalid token. */
export async function accountEmail(server: ControlServer, accessToken: Secret): Promise<string | undefined> {
  const { email } = await call(server, DashboardService.method.getMe, {}, accessToken);
  return email === "" ? undefined : email;
}

export interface NewKey {
  readonly name: string;
  readonly expiresAt: number;
}

export interface MadeKey extends NewKey {
  readonly key: Secret;
  /** Needed to revoke the key; undefined if the server does not list it. */
  readonly id: number | undefined;
}

/** Creates an API key, which can do less than the login that creates it, expires, and is listed where its owner can revoke it. */
export async function makeApiKey(server: ControlServer, { name, expiresAt }: NewKey, token: Secret): Promise<MadeKey> {
  const { createUserApiKey } = DashboardService.method;
  const { apiKey } = await call(server, createUserApiKey, { name, expiresAt: BigInt(expiresAt) }, token);
  if (apiKey === "") throw new CaretError("protocol-drift", `${server.origin} made an API key, but did not return it`);
  return { name, expiresAt, key: new Secret(apiKey), id: await findKeyId(server, name, token) };
}

async function findKeyId(server: ControlServer, name: string, token: Secret): Promise<number | undefined> {
  try {
    const { apiKeys } = await call(server, DashboardService.method.listUserApiKeys, {}, token);
    return apiKeys.find((key) => key.name === name)?.id;
  } catch {
    return undefined; // only logging out needs the number, and it reports a missing one
  }
}

export async function revokeApiKey(server: ControlServer, id: number, token: Secret): Promise<void> {
  await call(server, DashboardService.method.revokeUserApiKey, { id }, token);
}
