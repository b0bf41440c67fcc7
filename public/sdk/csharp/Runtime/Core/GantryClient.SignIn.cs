using System;
using System.Threading;
using System.Threading.Tasks;

namespace Gantry
{
    public sealed partial class GantryClient
    {
        /// <summary>How long signing in is tried again, unless <see cref="ConnectOptions"/> say otherwise.</summary>
        private const long SignInMs = 60000;

        private string _deviceSecret;

        /// <summary>
        /// Signs in as a guest and connects: as the guest whose secret is in the saved state, or as a new one. The secret
        /// authenticates the player: a game that stores it elsewhere, such as in the system's keychain, passes it here.
        /// </summary>
        /// <exception cref="GantryException">Such as <c>guests_forbidden</c>, or <c>guest_upgraded</c>: sign in with the wallet.</exception>
        public async Task<GuestSignIn> SignInAsGuestAsync(string gameId, string deviceSecret = null, string deviceName = null, CancellationToken cancellationToken = default(CancellationToken))
        {
            var session = await SignInGuest(gameId, deviceSecret ?? _deviceSecret, null, deviceName, Now + SignInMs, cancellationToken);
            lock (_gate)
            {
                ChoosePlace(session);
                Adopt(session);
            }
            return new GuestSignIn(session.Wallet, session.DeviceSecret);
        }

        /// <summary>Signs in with a wallet and connects.</summary>
        /// <param name="sign">Signs a text with the wallet's <c>personal_sign</c> (EIP-191) and returns the signature, <c>0x…</c>.</param>
        /// <param name="chainId">The chain of a contract wallet.</param>
        /// <exception cref="GantryException">Such as <c>wallet_signature_invalid</c>.</exception>
        public async Task SignInWithWalletAsync(string gameId, string wallet, Func<string, Task<string>> sign, long? chainId = null, CancellationToken cancellationToken = default(CancellationToken))
        {
            var input = new JsonObject { { "gameId", gameId }, { "wallet", wallet } };
            if (chainId != null) input["chainId"] = chainId;
            var asked = await CallUntilAnswered("createUnverifiedChannel", input, Now + SignInMs, cancellationToken);
            var session = await Sign("verifyUnverifiedChannel", asked, sign, chainId, null, cancellationToken);
            lock (_gate)
            {
                ChoosePlace(session);
                Adopt(session);
            }
        }

        /// <summary>Links a wallet to the signed-in guest. All data is kept; the guest's devices can no longer sign in.</summary>
        /// <param name="sign">As for <see cref="SignInWithWalletAsync"/>.</param>
        /// <exception cref="GantryException">Such as <c>wallet_taken</c>.</exception>
        public async Task UpgradeGuestWithWalletAsync(string wallet, Func<string, Task<string>> sign, long? chainId = null, CancellationToken cancellationToken = default(CancellationToken))
        {
            var token = _token;
            var input = new JsonObject { { "wallet", wallet }, { "launcherJwt", token } };
            if (chainId != null) input["chainId"] = chainId;
            var asked = await CallUntilAnswered("requestGuestUpgrade", input, Now + SignInMs, cancellationToken);
            var session = await Sign("upgradeGuest", asked, sign, chainId, token, cancellationToken);
            lock (_gate)
            {
                _deviceSecret = null;
                _saved.Remove("deviceSecret");
            }
            Adopt(session);
        }

        private async Task<Session> Sign(string operation, JsonObject asked, Func<string, Task<string>> sign, long? chainId, string launcherJwt, CancellationToken cancellationToken)
        {
            var signature = await sign(asked.Find("signRequest") as string);
            var input = new JsonObject { { "channelId", asked.Find("channelId") }, { "signature", signature } };
            if (launcherJwt != null) input["launcherJwt"] = launcherJwt;
            if (chainId != null) input["chainId"] = chainId;
            return Session.OfAnswer(await CallUntilAnswered(operation, input, Now + SignInMs, cancellationToken), "wallet");
        }
    }

    /// <summary>A guest who has signed in.</summary>
    public sealed class GuestSignIn
    {
        /// <summary>The player's address.</summary>
        public string Wallet { get; }

        /// <summary>Authenticates the player. Store it securely, such as in the system's keychain.</summary>
        public string DeviceSecret { get; }

        internal GuestSignIn(string wallet, string deviceSecret)
        {
            Wallet = wallet;
            DeviceSecret = deviceSecret;
        }
    }
}
