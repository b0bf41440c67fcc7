// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// A contract wallet: its owner's signature counts as its own (ERC-1271).
contract OwnedWallet {
    address private immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0xffffffff;
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        return ecrecover(hash, uint8(signature[64]), r, s) == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}

/// Deploys such wallets to predictable addresses (CREATE2).
contract WalletFactory {
    function deploy(address owner, bytes32 salt) external returns (address) {
        return address(new OwnedWallet{salt: salt}(owner));
    }
}

/// Reverts with its own error.
contract RevertingWallet {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        revert("not today");
    }
}

/// Approves with a value other than ERC-1271's magic value.
contract AgreeableWallet {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bool) {
        return true;
    }
}

/// Never returns.
contract EndlessWallet {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        while (true) {}
        return 0x1626ba7e;
    }
}

/// Redirects callers to another server for the result (EIP-3668).
contract ReferringWallet {
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callback, bytes extraData);

    string private url;

    constructor(string memory url_) {
        url = url_;
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        string[] memory urls = new string[](1);
        urls[0] = url;
        revert OffchainLookup(address(this), urls, "", this.isValidSignature.selector, "");
    }
}
