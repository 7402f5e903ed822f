import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Of the machine itself, but none of the names under which a gateway takes requests to its own port alone. */
const OWN_ADDRESS = "127.0.0.2";

/** One address before several gateways: a connection goes to the first of them that takes it, as a TCP load balancer decides. */
export interface GatewaySwitch {
  readonly url: string;
  close(): void;
}

/** More gateways may come to the list later: an address must be known before a gateway can allow it. */
export async function openGatewaySwitch(gateways: readonly { readonly url: string }[]): Promise<GatewaySwitch> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    open.add(near);
    near.on("close", () => open.delete(near));
    near.on("error", () => near.destroy());
    const join = ([next, ...rest]: readonly { readonly url: string }[]): void => {
      if (next === undefined) return void near.destroy();
      const far = connect(Number(new URL(next.url).port), "127.0.0.1");
      const tryNext = (): void => join(rest);
      far.once("error", tryNext);
      far.once("connect", () => {
        far.off("error", tryNext);
        for (const event of ["error", "close"]) far.on(event, () => near.destroy());
        near.on("close", () => far.destroy());
        near.pipe(far).pipe(near);
      });
    };
    join(gateways);
  });
  server.listen(0, OWN_ADDRESS);
  await once(server, "listening");
  return {
    url: `http://${OWN_ADDRESS}:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
