#if UNITY_5_3_OR_NEWER
using System;
using System.Threading;
using System.Threading.Tasks;
using UnityEngine;

namespace Gantry
{
    /// <summary>Runs a client in Unity: updates it in every frame, and stores its state in PlayerPrefs.</summary>
    public sealed class GantryBehaviour : MonoBehaviour
    {
        private GantryClient _client;

        /// <summary>The client; null before <see cref="Create"/>.</summary>
        public GantryClient Client
        {
            get { return _client; }
        }

        /// <summary>As <see cref="GantryClient.ConnectAsync"/>: the client lives as long as the game, across scenes.</summary>
        /// <param name="saveAs">The key in PlayerPrefs of the player, the cursors and the queue. Null: one of the server and the game.</param>
        public static Task<GantryClient> ConnectAsync(ConnectOptions options, string saveAs = null, CancellationToken cancellationToken = default(CancellationToken))
        {
            var client = Create(options, saveAs ?? "gantry:" + options.Url + ":" + options.Game);
            return client.SignInOrDisposeAsync(cancellationToken);
        }

        /// <summary>Makes a client that lives as long as the game, across scenes.</summary>
        /// <param name="saveAs">The key in PlayerPrefs of the player, the cursors and the queue. Null: they are not stored.</param>
        public static GantryClient Create(GantryOptions options, string saveAs = null)
        {
            if (saveAs != null && options.Save == null && options.StateFile == null)
            {
                options.SavedState = PlayerPrefs.HasKey(saveAs) ? PlayerPrefs.GetString(saveAs) : null;
                options.Save = state =>
                {
                    PlayerPrefs.SetString(saveAs, state);
                    PlayerPrefs.Save();
                };
            }
            var holder = new GameObject("Gantry");
            DontDestroyOnLoad(holder);
            var behaviour = holder.AddComponent<GantryBehaviour>();
            behaviour._client = new GantryClient(options);
            return behaviour._client;
        }

        private void Update()
        {
            if (_client == null) return;
            if (_client.IsDisposed) Destroy(gameObject);
            else _client.Update();
        }

        private void OnDestroy()
        {
            if (_client != null) _client.Dispose();
        }
    }
}
#endif
