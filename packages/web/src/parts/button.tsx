import type { ComponentProps, ReactNode } from "react";

type ButtonTone = "plain" | "primary" | "danger" | "quiet";

interface ButtonProps extends ComponentProps<"button"> {
  readonly tone?: ButtonTone;
  readonly icon?: ReactNode;
}

const tones: Readonly<Record<ButtonTone, string>> = {
  plain: "border-line bg-raised text-ink hover:border-faint",
  primary: "border-transparent bg-accent text-on-accent hover:opacity-90",
  danger: "border-line bg-raised text-bad hover:border-bad",
  quiet: "border-transparent text-soft hover:bg-ink/5 hover:text-ink",
};

export function Button({ tone = "plain", icon, className = "", children, type = "button", ...rest }: ButtonProps) {
  return (
    <button
      className={`inline-flex min-h-10 select-none items-center justify-center gap-1.5 whitespace-nowrap rounded-md border px-3 font-medium text-[13px] transition-colors duration-100 disabled:pointer-events-none disabled:opacity-50 md:min-h-8 ${tones[tone]} ${className}`}
      type={type}
      {...rest}
    >
      {icon}
      {children}
    </button>
  );
}

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
