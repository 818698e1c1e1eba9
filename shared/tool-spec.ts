/** A tool as the model is told of it. Names match `^[a-zA-Z0-9_-]{1,64}$`. */
export interface ToolSpec {
  name: string;
  description: string;
  /** JSON schema of type "object", keys in a fixed order: its bytes are part of the wire's prefix. */
  inputSchema: Record<string, unknown>;
}
