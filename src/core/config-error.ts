/** A setting is invalid; the message says which one and what is allowed. */
export class ConfigError extends Error {}
