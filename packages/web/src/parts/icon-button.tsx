import type { ComponentProps, ReactNode } from "react";

interface IconButtonProps extends ComponentProps<"button"> {
  /** What it does, for those who do not see the icon. */
  readonly label: string;
  readonly icon: ReactNode;
}

export function IconButton({ label, icon, className = "", type = "button", ...rest }: IconButtonProps) {
  return (
    <button
      aria-label={label}
      className={`inline-flex size-10 shrink-0 items-center justify-center rounded-md text-soft transition-colors duration-100 hover:bg-ink/8 hover:text-ink disabled:pointer-events-none disabled:opacity-50 aria-expanded:bg-ink/8 aria-pressed:text-accent md:size-8 ${className}`}
      title={label}
      type={type}
      {...rest}
    >
      {icon}
    </button>
  );
}
