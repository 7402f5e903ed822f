/**
 * A shell script that gives a command one pipe for both outputs and then becomes the command. Its arguments: where the
 * named pipe may be made, the program, and the program's arguments.
 *
 * A child's streams are sockets, and a socket cannot be opened by name: `echo oops > /dev/stderr` would fail. So `cat`
 * carries the bytes from a pipe to the socket. It is nobody's child (a program may wait for all of its own), ignores
 * polite signals (the last words of a stopped command count), and ends when the pipe does. Descriptor 3 is where bubblewrap
 * reports, if there is one; it is not held open. Where there are no named pipes, the socket has to do.
 */
export const relayScript = `
pipe=$1
shift
if command -p mkfifo -m 600 "$pipe" 2>/dev/null; then
  ( ( trap "" HUP INT TERM; exec 3>&-; command -p cat <"$pipe" ) & )
  exec >"$pipe" 2>&1
  command -p rm -f "$pipe"
else
  exec 2>&1
fi
exec "$@"
`;
