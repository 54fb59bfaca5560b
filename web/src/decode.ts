// SPDX-License-Identifier: BSD-3-Clause
// Sample arrays are stored as base64 of little-endian numbers. All browsers for which the page is made are
// little-endian.

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

function decode<T extends Int16Array | Float32Array | Float64Array>(
  data: unknown,
  make: { new (buffer: ArrayBuffer): T; new (length: number): T; from(list: ArrayLike<number>): T; BYTES_PER_ELEMENT: number },
  complain: (what: string) => void,
): T {
  if (data === undefined || data === null || data === '') return new make(0);
  if (Array.isArray(data)) return make.from(data.map((v) => (typeof v === 'number' ? v : NaN)));
  if (typeof data !== 'string') {
    complain('is not a base64 text');
    return new make(0);
  }
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = bytesOf(data);
  } catch {
    complain('is not valid base64');
    return new make(0);
  }
  const whole = Math.floor(bytes.length / make.BYTES_PER_ELEMENT) * make.BYTES_PER_ELEMENT;
  if (whole !== bytes.length) complain(`ends in the middle of a number (${bytes.length} bytes)`);
  return new make(bytes.buffer.slice(0, whole));
}

export function decodeFloat64(data: unknown, complain: (what: string) => void): Float64Array {
  return decode<Float64Array>(data, Float64Array as never, complain);
}

export function decodeInt16(data: unknown, complain: (what: string) => void): Int16Array {
  return decode<Int16Array>(data, Int16Array as never, complain);
}

export function decodeFloat32(data: unknown, complain: (what: string) => void): Float32Array {
  return decode<Float32Array>(data, Float32Array as never, complain);
}
