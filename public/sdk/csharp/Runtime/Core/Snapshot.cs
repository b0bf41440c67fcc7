using System;
using System.Collections.Generic;
using System.Linq;

namespace Gantry
{
    /// <summary>Items by wallet: read when they are stale, and kept up to date by changes, also by those that arrive meanwhile.</summary>
    internal sealed class Snapshot<T>
    {
        private readonly Func<T, string> _walletOf;

        /// <summary>The changes since the items were requested; null: they are applied immediately.</summary>
        private List<Action> _changes;

        public Snapshot(Func<T, string> walletOf)
        {
            _walletOf = walletOf;
        }

        public Dictionary<string, T> Items { get; private set; } = new Dictionary<string, T>();
        public bool IsStale { get; set; } = true;

        /// <summary>The items are requested.</summary>
        public void Begin()
        {
            IsStale = false;
            _changes = new List<Action>();
        }

        /// <param name="items">Null: they could not be read.</param>
        public void End(IEnumerable<T> items)
        {
            var changes = _changes;
            _changes = null;
            if (items == null)
            {
                IsStale = true;
                return;
            }
            Items = items.ToDictionary(_walletOf);
            foreach (var change in changes) change();
        }

        public void Change(Action change)
        {
            if (_changes != null) _changes.Add(change);
            else change();
        }
    }
}
