using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Gantry;

/// <summary>The C# SDK's driver, by test/sdk/driver-protocol.md.</summary>
public static class Driver
{
    private static readonly Dictionary<string, GantryClient> Clients = new Dictionary<string, GantryClient>();
    private static readonly Dictionary<string, string> Saved = new Dictionary<string, string>();
    private static readonly Dictionary<long, TaskCompletionSource<string>> Signing = new Dictionary<long, TaskCompletionSource<string>>();
    private static readonly ConcurrentDictionary<string, CancellationTokenSource> Cancellations = new ConcurrentDictionary<string, CancellationTokenSource>();
    private static readonly ConcurrentDictionary<long, IDisposable> Follows = new ConcurrentDictionary<long, IDisposable>();
    private static readonly System.IO.Stream Output = Console.OpenStandardOutput();

    public static void Main()
    {
        var input = new System.IO.StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
        string line;
        while ((line = input.ReadLine()) != null)
        {
            var command = Json.ParseObject(line);
            Answer(command).ContinueWith(task => { });
        }
        Environment.Exit(0);
    }

    private static async Task Answer(JsonObject command)
    {
        var report = new JsonObject { { "id", command["id"] } };
        try
        {
            report["ok"] = await Do(command);
        }
        catch (GantryException error)
        {
            report["error"] = Describe(error);
        }
        catch (OperationCanceledException error)
        {
            report["error"] = Describe(new GantryException("cancelled", error.Message));
        }
        catch (Exception error)
        {
            Console.Error.WriteLine(error);
            report["error"] = new JsonObject { { "reason", "driver_failed" }, { "code", 0 }, { "message", error.ToString() } };
        }
        Report(report);
    }

    private static async Task<object> Do(JsonObject command)
    {
        var name = command.Find("client") as string;
        var options = command.Find("options") as JsonObject ?? new JsonObject();
        switch ((string)command["do"])
        {
            case "open":
                Open(name, options);
                return null;
            case "connect":
                return await Connect(name, options);
            case "player":
                return Clients[name].Player?.Json;
            case "on":
                return "unsupported"; // a misspelt event does not compile
            case "follow":
                await Follow(name, command);
                return null;
            case "followFriends":
                await FollowFriends(name, command);
                return null;
            case "config":
                return new JsonObject { { "version", Clients[name].Config.Version }, { "values", Clients[name].Config.Values } };
            case "followConfig":
                await FollowConfig(name, (long)command["id"]);
                return null;
            case "unfollow":
                Follows[(long)command["follow"]].Dispose();
                return null;
            case "ready":
                await Clients[name].ReadyAsync(Cancellation(options));
                return null;
            case "call":
                return await Call(Caller(Clients[name], options), command, new CallOptions { IdempotencyKey = options.Find("idempotencyKey") as string }, Cancellation(options));
            case "queue":
                var answered = Call(Clients[name], command, new CallOptions { IsQueued = true }, Cancellation(options));
                foreach (var value in ((JsonObject)command["input"]).Values) (value as JsonObject)?.Clear();
                return await answered;
            case "queueWithoutJson":
                await Clients[name].SetStateAsync(new SetStateInput { Label = "progress", State = double.NaN }, new CallOptions { IsQueued = true });
                return null;
            case "cancel":
                Cancellations[(string)options["cancellation"]].Cancel();
                return null;
            case "subscribe":
                return Copy(await Clients[name].SubscribeAsync(new SubscribeInput { GameId = command.Find("gameId") as string }));
            case "unsubscribe":
                return Copy(await Clients[name].UnsubscribeAsync(new UnsubscribeInput { GameId = command.Find("gameId") as string }));
            case "cursors":
                return CursorsOf(Clients[name]);
            case "saved":
                return SavedOf(name);
            case "signInAsGuest":
                return await SignInAsGuest(options);
            case "signInWithWallet":
                return await SignInWithWallet((long)command["id"], options);
            case "connectWithWallet":
                var made = OptionsOf<GantryOptions>(options);
                made.Save = Saving(name);
                var client = new GantryClient(made);
                ListenTo(name, client);
                client.RunInBackground();
                await client.SignInWithWalletAsync((string)options["game"], (string)options["wallet"], Signature((long)command["id"]));
                await client.ReadyAsync();
                return null;
            case "signature":
                lock (Signing) Signing[(long)command["for"]].SetResult((string)command["signature"]);
                return null;
            case "tokenIn":
                return LauncherToken.In((string)options["url"]);
            case "close":
                Clients[name].Dispose();
                return null;
            default:
                throw new ArgumentException("There is no command " + command["do"]);
        }
    }

    /// <summary>A token that the command <c>cancel</c> cancels by its name.</summary>
    private static CancellationToken Cancellation(JsonObject options)
    {
        var name = options.Find("cancellation") as string;
        return name == null ? CancellationToken.None : Cancellations.GetOrAdd(name, _ => new CancellationTokenSource()).Token;
    }

    private static JsonObject SavedOf(string name)
    {
        lock (Saved) return Saved.ContainsKey(name) ? Json.ParseObject(Saved[name]) : null;
    }

    private static JsonObject CursorsOf(GantryClient client)
    {
        var json = new JsonObject();
        foreach (var one in client.Cursors) json[one.Key] = new JsonObject { { "epoch", one.Value.Epoch }, { "seq", one.Value.Seq } };
        return json;
    }

    private static T OptionsOf<T>(JsonObject options) where T : GantryOptions, new()
    {
        var made = new T
        {
            Url = (string)options["url"],
            LauncherJwt = options.Find("launcherJwt") as string,
            GameSecret = options.Find("gameSecret") as string,
            GameVersion = options.Find("gameVersion") as string,
            Label = options.Find("label") as string,
            RouteByPlayer = options.Find("routeByPlayer") as bool? == true,
            SavedState = options.Find("saved")?.ToString(),
            StateFile = options.Find("stateFile") as string,
            CallOver = options.Find("callOver") as string == "http" ? Transport.Http : Transport.Socket
        };
        if (options.Find("timeoutMs") is long) made.Timeout = TimeSpan.FromMilliseconds((long)options["timeoutMs"]);
        if (options.Find("retries") is long) made.Retries = (int)(long)options["retries"];
        if (options.Find("status") is JsonObject status) made.Status = new SetStatusInput(status);
        if (options.Find("renewTokens") is List<object> tokens)
        {
            var left = new Queue<object>(tokens);
            made.Renew = () => Task.FromResult((string)left.Dequeue());
        }
        return made;
    }

    private static void Open(string name, JsonObject options)
    {
        var made = OptionsOf<GantryOptions>(options);
        made.Save = Saving(name);
        var client = new GantryClient(made);
        ListenTo(name, client);
        client.Connect();
        client.RunInBackground();
    }

    private static async Task<object> Connect(string name, JsonObject options)
    {
        var made = OptionsOf<ConnectOptions>(options);
        made.Save = Saving(name);
        made.Game = options.Find("game") as string;
        made.Username = options.Find("username") as string;
        made.DeviceName = options.Find("deviceName") as string;
        made.DeviceSecret = options.Find("deviceSecret") as string;
        if (options.Find("signInTimeoutMs") is long) made.SignInTimeout = TimeSpan.FromMilliseconds((long)options["signInTimeoutMs"]);
        Environment.SetEnvironmentVariable("GANTRY_TOKEN", options.Find("ambientToken") as string);
        var connecting = GantryClient.ConnectAsync(made);
        Environment.SetEnvironmentVariable("GANTRY_TOKEN", null);
        var client = await connecting;
        ListenTo(name, client);
        return client.Player.Json;
    }

    private static Action<string> Saving(string name)
    {
        return state =>
        {
            lock (Saved) Saved[name] = state;
        };
    }

    private static void ListenTo(string name, GantryClient client)
    {
        lock (Clients) Clients[name] = client;
        client.StatusChanged += status => ReportStatus(name, status);
        client.QueuedCallEnded += answer => Report(new JsonObject
        {
            { "client", name }, { "queued", answer.Call.Operation.Name }, { "reason", answer.Error?.Reason }
        });
        client.OnResync(stream => Report(new JsonObject { { "client", name }, { "resync", stream } }));
        var listen = typeof(Driver).GetMethod("Listen", BindingFlags.NonPublic | BindingFlags.Static);
        foreach (var field in typeof(Events).GetFields(BindingFlags.Public | BindingFlags.Static))
            listen.MakeGenericMethod(field.FieldType.GetGenericArguments()).Invoke(null, new[] { name, client, field.GetValue(null) });
    }

    private static async Task Follow(string name, JsonObject command)
    {
        var id = (long)command["id"];
        var leaderboard = Clients[name].Leaderboard(command.Find("leaderboard") as string);
        Action<IReadOnlyList<LeaderboardRow>> listener = rows => Report(new JsonObject
        {
            { "client", name }, { "follow", id }, { "rows", rows.Select(Copy).ToList() }
        });
        var limit = command.Find("limit") as long?;
        Follows[id] = await (limit == null ? leaderboard.FollowAsync(listener) : leaderboard.FollowAsync(listener, (int)limit));
    }

    private static async Task FollowFriends(string name, JsonObject command)
    {
        var id = (long)command["id"];
        Follows[id] = await Clients[name].Friends.FollowAsync(list =>
        {
            var merged = list.Friends.Select(one => new JsonObject(Copy(one.Friend).Concat(Copy(one.Presence)))).ToList();
            var json = new JsonObject { { "friends", merged }, { "received", list.Received.Select(Copy).ToList() }, { "sent", list.Sent.Select(Copy).ToList() } };
            Report(new JsonObject { { "client", name }, { "follow", id }, { "list", json } });
            if (command.ContainsKey("throws")) throw new InvalidOperationException("Thrown for a test");
        }, Cancellation(command));
    }

    private static async Task FollowConfig(string name, long id)
    {
        Follows[id] = await Clients[name].Config.FollowAsync(values => Report(new JsonObject
        {
            { "client", name }, { "follow", id }, { "config", values }
        }));
    }

    private static void Listen<T>(string name, GantryClient client, Event<T> type) where T : Record
    {
        client.On(type, (record, meta) => Report(new JsonObject
        {
            { "client", name }, { "event", type.Name }, { "record", Copy(record) }, { "meta", MetaOf(meta) }
        }));
    }

    private static JsonObject MetaOf(Meta meta)
    {
        var json = new JsonObject { { "stream", meta.Stream } };
        if (meta.Epoch != null) json["epoch"] = meta.Epoch;
        if (meta.Seq != null) json["seq"] = meta.Seq;
        if (meta.IsLate) json["late"] = true;
        return json;
    }

    private static void ReportStatus(string name, Status status)
    {
        if (status.State == ConnectionState.Closed) return;
        var report = new JsonObject { { "client", name }, { "status", status.State.ToString().ToLowerInvariant() } };
        if (status.State == ConnectionState.Ended) report["endReason"] = status.EndReason;
        if (status.Warning != null) report["warning"] = status.Warning;
        if (status.Error != null) report["reason"] = status.Error.Reason;
        var update = status.Error?.Update;
        if (update != null) report["update"] = new JsonObject { { "version", update.Version }, { "url", update.Url }, { "message", update.Message } };
        Report(report);
    }

    private static GantryCalls Caller(GantryClient client, JsonObject options)
    {
        if (options.Find("launcherJwt") is string) return client.As((string)options["launcherJwt"]);
        return options.Find("wallet") is string ? client.ForPlayer((string)options["wallet"]) : client;
    }

    /// <summary>Calls the generated method, with its input and result through the generated properties.</summary>
    private static async Task<object> Call(GantryCalls caller, JsonObject command, CallOptions options, CancellationToken cancellationToken)
    {
        var operation = (string)command["operation"];
        var method = typeof(GantryCalls).GetMethod(char.ToUpperInvariant(operation[0]) + operation.Substring(1) + "Async");
        var arguments = new List<object> { options, cancellationToken };
        var parameters = method.GetParameters();
        if (parameters.Length == 3)
        {
            var given = command.Find("input") as JsonObject ?? new JsonObject();
            var input = (Record)Activator.CreateInstance(parameters[0].ParameterType, given);
            arguments.Insert(0, IsTyped(input) ? ThroughProperties(input) : input);
        }
        var task = (Task)method.Invoke(caller, arguments.ToArray());
        await task;
        return Copy((Record)task.GetType().GetProperty("Result").GetValue(task));
    }

    /// <summary>Values that the types do not allow, and the server must refuse, bypass the properties.</summary>
    private static bool IsTyped(Record input)
    {
        try
        {
            ThroughProperties(input);
            return true;
        }
        catch (TargetInvocationException)
        {
            return false;
        }
    }

    private static JsonObject Copy(Record record)
    {
        return ThroughProperties(record).Json;
    }

    /// <summary>The same, with every known field read and set through its property, and unknown fields unchanged.</summary>
    private static Record ThroughProperties(Record record)
    {
        var type = record.GetType();
        var copy = (Record)Activator.CreateInstance(type, new JsonObject(record.Json));
        foreach (var field in record.Json.Keys)
        {
            var property = PropertyOf(type, field);
            if (property == null) continue;
            copy.Json.Remove(field);
            property.SetValue(copy, Deeply(property.GetValue(record), property.PropertyType));
            // A null property is omitted; here null was explicit.
            if (record.Json[field] == null && !copy.Json.ContainsKey(field)) copy.Json[field] = null;
        }
        return copy;
    }

    private static PropertyInfo PropertyOf(Type type, string field)
    {
        var name = field.TrimStart('_');
        return type.GetProperty(char.ToUpperInvariant(name[0]) + name.Substring(1), BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly);
    }

    private static object Deeply(object value, Type type)
    {
        if (value is Record) return ThroughProperties((Record)value);
        var isList = type.IsGenericType && type.GetGenericTypeDefinition() == typeof(IReadOnlyList<>);
        var item = isList ? type.GetGenericArguments()[0] : null;
        if (value == null || item == null || !typeof(Record).IsAssignableFrom(item)) return value;
        var copies = ((IEnumerable<Record>)value).Select(ThroughProperties).ToArray();
        var typed = Array.CreateInstance(item, copies.Length);
        Array.Copy(copies, typed, copies.Length);
        return typed;
    }

    private static async Task<object> SignInAsGuest(JsonObject options)
    {
        using (var client = new GantryClient(OptionsOf<GantryOptions>(options)))
        {
            client.RunInBackground();
            var guest = await client.SignInAsGuestAsync((string)options["gameId"], options.Find("deviceSecret") as string);
            return new JsonObject
            {
                { "launcherJwt", client.LauncherJwt }, { "wallet", guest.Wallet }, { "deviceSecret", guest.DeviceSecret }
            };
        }
    }

    private static async Task<object> SignInWithWallet(long id, JsonObject options)
    {
        using (var client = new GantryClient(OptionsOf<GantryOptions>(options)))
        {
            client.RunInBackground();
            await client.SignInWithWalletAsync((string)options["gameId"], (string)options["wallet"], Signature(id));
            return new JsonObject { { "launcherJwt", client.LauncherJwt } };
        }
    }

    /// <summary>Asks the kit to sign.</summary>
    private static Func<string, Task<string>> Signature(long id)
    {
        return text =>
        {
            var signature = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
            lock (Signing) Signing[id] = signature;
            Report(new JsonObject { { "sign", text }, { "for", id } });
            return signature.Task;
        };
    }

    private static JsonObject Describe(GantryException error)
    {
        return new JsonObject
        {
            { "reason", error.Reason },
            { "code", error.Code },
            { "message", error.Message },
            { "retryAfterSeconds", error.RetryAfter == null ? null : (object)(long)error.RetryAfter.Value.TotalSeconds },
            { "data", error.Body.Find("data") },
            { "errors", error.Fields.Select(field => new JsonObject { { "path", field.Path }, { "message", field.Message } }) }
        };
    }

    private static void Report(JsonObject report)
    {
        var bytes = Encoding.UTF8.GetBytes(Json.Write(report) + "\n");
        lock (Output)
        {
            Output.Write(bytes, 0, bytes.Length);
            Output.Flush();
        }
    }
}
