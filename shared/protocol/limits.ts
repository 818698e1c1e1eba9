/**
 * Every bound that both sides check, in one table, so that the client can say no before the network does and the server
 * says the same no. Sizes are bytes of UTF-8 unless the name says otherwise; counts are plain numbers.
 */
export const LIMITS = {
  /** JSON body of any request. */
  bodyBytes: 2 * 1024 * 1024,
  /** All text parts of one input together. */
  inputTextBytes: 1024 * 1024,
  inputParts: 64,
  pendingInputs: 200,
  titleChars: 200,
  pathChars: 4096,
  modelChars: 200,
  attachmentNameChars: 255,
  rememberChars: 2000,
  /** Answers of list routes: asked for more, clamped to this. */
  chunksPerPage: 500,
  recordsPerPage: 1000,
  sessionsPerPage: 500,
  turnsPerPage: 500,
  /** `GET …/log` and a replay frame stop early past this many bytes of data. */
  logPageBytes: 256 * 1024,
  /** Chunk data whose JSON is longer is kept as a blob and sent by reference. */
  inlineDataBytes: 64 * 1024,
  /** Characters of the preview that stands in for data kept as a blob. */
  previewChars: 4096,
  /** One WebSocket message from a client. */
  frameBytes: 64 * 1024,
  /** What the server holds for one slow client before it is cut with 4408. */
  socketBufferBytes: 4 * 1024 * 1024,
  subscriptionsPerSocket: 64,
  /**
   * Objects and arrays within each other in what a model made up: the arguments of a call, a block that Cairn does not model.
   * What is deeper is neither run nor sent back, since a request that cannot be written would end the session for good.
   */
  nestedLevels: 100,
  /** Live tool output, and what the model is shown of it. */
  toolOutputBytes: 48 * 1024,
} as const;

/** Milliseconds. Deadlines that both sides must know. */
export const TIMES = {
  /** A prompt that was never sent asks before it is sent after this long. */
  promptExpiry: 24 * 60 * 60 * 1000,
  pingAfter: 20_000,
  pongWithin: 5_000,
  requestWithin: 15_000,
  /** Live deltas are coalesced into at most one frame per this long: one of the screen, so that a delta is seen within two. */
  liveFrame: 16,
} as const;

/** Records a mirror page holds: page n holds seq 100n+1 … 100n+100. */
export const PAGE_RECORDS = 100;
/** Chunks held in reactive state when the setting says nothing; also the most that a setting may raise it to. */
export const CHUNK_LIMIT = { default: 256, maximum: 2048 } as const;
