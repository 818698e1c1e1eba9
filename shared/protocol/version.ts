/**
 * The number of the HTTP and WebSocket contract. It rises when a client of the number before could misread an answer;
 * a server refuses a `hello` below its minimum with close code 4426, and such a client goes on reading offline.
 */
export const PROTOCOL = 1;
export const PROTOCOL_MINIMUM = 1;
/** The lowest number of a server that the app of this build understands. Below it, it goes on reading offline and says so. */
export const PROTOCOL_SERVER_MINIMUM = 1;

/** Every answer of Cairn's own carries this header; an answer without it is somebody else's (a captive portal, a proxy). */
export const EPOCH_HEADER = 'Cairn-Epoch';
