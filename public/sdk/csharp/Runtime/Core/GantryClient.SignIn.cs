using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Gantry
{
    public sealed partial class GantryClient
    {
        private string _token;
        private string _deviceSecret;

        /// <summary>
        /// Signs in as a guest and connects: as the guest whose secret is in the saved state, or as a new one. The secret
        /// authenticates the player: a game that stores it elsewhere, such as in the system's keychain, passes it here.
        /// </summary>
        /// <exception cref="GantryException">Such as <c>guests_forbidden</c>, or <c>guest_upgraded</c>: sign in with the wallet.</exception>
        public async Task<GuestSignIn> SignInAsGuestAsync(string gameId, string deviceSecret = null, string deviceName = null, CancellationToken cancellationToken = default)
        {
            var secret = deviceSecret ?? _deviceSecret;
            var input = new JsonObject { { "gameId", gameId } };
            if (secret != null) input["deviceSecret"] = secret;
            else if (deviceName != null) input["deviceName"] = deviceName;
            var answer = await CallOverHttp(secret == null ? "createGuest" : "signInGuest", input, cancellationToken);
            lock (_gate)
            {
                _deviceSecret = secret ?? answer.Find("deviceSecret") as string;
                SaveNow();
            }
            UseToken(answer.Find("launcherJwt") as string);
            return new GuestSignIn(answer.Find("wallet") as string, _deviceSecret);
        }

        /// <summary>Signs in with a wallet and connects.</summary>
        /// <param name="sign">Signs a text with the wallet's <c>personal_sign</c> (EIP-191) and returns the signature, <c>0x…</c>.</param>
        /// <param name="chainId">The chain of a contract wallet.</param>
        /// <exception cref="GantryException">Such as <c>wallet_signature_invalid</c>.</exception>
        public async Task SignInWithWalletAsync(string gameId, string wallet, Func<string, Task<string>> sign, long? chainId = null, CancellationToken cancellationToken = default)
        {
            var input = new JsonObject { { "gameId", gameId }, { "wallet", wallet } };
            if (chainId != null) input["chainId"] = chainId;
            var asked = await CallOverHttp("createUnverifiedChannel", input, cancellationToken);
            UseToken(await Sign("verifyUnverifiedChannel", asked, sign, chainId, cancellationToken));
        }

        /// <summary>Links a wallet to the signed-in guest. All data is kept; the guest's devices can no longer sign in.</summary>
        /// <param name="sign">As for <see cref="SignInWithWalletAsync"/>.</param>
        /// <exception cref="GantryException">Such as <c>wallet_taken</c>.</exception>
        public async Task UpgradeGuestWithWalletAsync(string wallet, Func<string, Task<string>> sign, long? chainId = null, CancellationToken cancellationToken = default)
        {
            var input = new JsonObject { { "wallet", wallet } };
            if (chainId != null) input["chainId"] = chainId;
            var asked = await CallOverHttp("requestGuestUpgrade", input, cancellationToken);
            var token = await Sign("upgradeGuest", asked, sign, chainId, cancellationToken);
            lock (_gate)
            {
                _deviceSecret = null;
                SaveNow();
            }
            UseToken(token);
        }

        private async Task<string> Sign(string operation, JsonObject asked, Func<string, Task<string>> sign, long? chainId, CancellationToken cancellationToken)
        {
            var signature = await sign(asked.Find("signRequest") as string);
            var input = new JsonObject { { "channelId", asked.Find("channelId") }, { "signature", signature } };
            if (chainId != null) input["chainId"] = chainId;
            return (await CallOverHttp(operation, input, cancellationToken)).Find("launcherJwt") as string;
        }

        private Task<JsonObject> CallOverHttp(string operation, JsonObject input, CancellationToken cancellationToken)
        {
            return CallAsync(operation, input, new CallOptions { Over = Transport.Http }, cancellationToken);
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
