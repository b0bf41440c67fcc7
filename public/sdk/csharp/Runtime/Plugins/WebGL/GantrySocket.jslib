// The browser's WebSocket for WebGLSocket.cs, which polls: [1, ''] opened, [2, text], [3, ''] closed.
var GantrySocketLibrary = {
  $gantrySockets: { next: 0, open: {} },

  GantrySocketOpen: function (url) {
    var id = gantrySockets.next++;
    var received = [];
    var socket = null;
    try {
      socket = new WebSocket(UTF8ToString(url));
      socket.onopen = function () { received.push([1, '']); };
      socket.onmessage = function (event) { received.push([2, String(event.data)]); };
      socket.onclose = function () { received.push([3, '']); };
    } catch (error) {
      console.error('Gantry: the address of the server is not valid', error);
      received.push([3, '']);
    }
    gantrySockets.open[id] = { socket: socket, received: received };
    return id;
  },

  GantrySocketSend: function (id, text) {
    var entry = gantrySockets.open[id];
    if (entry && entry.socket && entry.socket.readyState === 1) entry.socket.send(UTF8ToString(text));
  },

  GantrySocketClose: function (id) {
    var entry = gantrySockets.open[id];
    delete gantrySockets.open[id];
    if (entry && entry.socket) entry.socket.close();
  },

  GantrySocketPeek: function (id) {
    var entry = gantrySockets.open[id];
    return entry && entry.received.length > 0 ? entry.received[0][0] : 0;
  },

  GantrySocketTake: function (id) {
    var text = gantrySockets.open[id].received.shift()[1];
    var size = lengthBytesUTF8(text) + 1;
    var buffer = _malloc(size); // freed by Unity, as what a function returns as a string
    stringToUTF8(text, buffer, size);
    return buffer;
  },
};

autoAddDeps(GantrySocketLibrary, '$gantrySockets');
mergeInto(LibraryManager.library, GantrySocketLibrary);
