import type { ReactNode } from "react";
import { Link, useRoute } from "wouter";

interface NavLinkProps {
  readonly href: string;
  readonly icon: ReactNode;
  readonly children: ReactNode;
  /** Shown at the end of the line. */
  readonly extra?: ReactNode;
}

export function NavLink({ href, icon, children, extra }: NavLinkProps) {
  const [isHere] = useRoute(href);
  return (
    <Link
      aria-current={isHere ? "page" : undefined}
      className="flex min-h-10 items-center gap-2 rounded-md px-2 text-[13px] text-soft transition-colors duration-100 hover:bg-ink/5 hover:text-ink aria-[current=page]:bg-ink/8 aria-[current=page]:font-medium aria-[current=page]:text-ink md:min-h-8"
      href={href}
    >
      {icon}
      <span className="flex-1 truncate">{children}</span>
      {extra}
    </Link>
  );
}
