// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// ERC-20, as far as rules use it.
contract Token {
    mapping(address => uint256) public balanceOf;
    uint8 public immutable decimals;

    constructor(uint8 decimals_) {
        decimals = decimals_;
        balanceOf[msg.sender] = 1_000_000 * 10 ** uint256(decimals_);
    }

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        require(balanceOf[msg.sender] >= amount, "too little");
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

/// ERC-721, as far as games require it of players.
contract Pass {
    mapping(address => uint256) public balances;
    mapping(uint256 => address) public ownerOf;

    function balanceOf(address owner) external view returns (uint256) {
        require(owner != address(0), "nobody");
        return balances[owner];
    }

    function mint(address to, uint256 id) external {
        require(ownerOf[id] == address(0), "taken");
        ownerOf[id] = to;
        balances[to]++;
    }

    function move(address to, uint256 id) external {
        balances[ownerOf[id]]--;
        ownerOf[id] = to;
        balances[to]++;
    }
}

/// What ERC-1155 requires of a contract wallet.
interface Receiver {
    function onERC1155Received(address operator, address from, uint256 id, uint256 amount, bytes calldata data)
        external
        returns (bytes4);
}

/// ERC-1155, as far as rules use it.
contract Achievements {
    mapping(address => mapping(uint256 => uint256)) public balanceOf;

    function mint(address to, uint256 id, uint256 amount, bytes calldata data) external {
        balanceOf[to][id] += amount;
        if (to.code.length > 0) Receiver(to).onERC1155Received(msg.sender, address(0), id, amount, data);
    }
}

/// A wallet that makes senders pay for millions of gas.
contract GreedyWallet is Receiver {
    uint256 private spun;

    function onERC1155Received(address, address, uint256, uint256, bytes calldata) external returns (bytes4) {
        for (uint256 n = 0; n < 20_000; n++) spun = spun + n;
        return this.onERC1155Received.selector;
    }
}

/// Stores scores, and other values in a token's traits; refuses some.
contract Board {
    error NotWelcome(address player, uint256 score);

    mapping(address => uint256) public scoreOf;
    mapping(uint256 => mapping(bytes32 => bytes32)) public traitOf;
    mapping(string => uint256) public calls;
    bool public closed;

    function setScore(address player, uint256 score) external {
        require(!closed, "the board is closed");
        if (score == 13) revert NotWelcome(player, score);
        scoreOf[player] = score;
    }

    function setClosed(bool closed_) external {
        closed = closed_;
    }

    function setTrait(uint256 tokenId, bytes32 traitKey, bytes32 newValue) external {
        traitOf[tokenId][traitKey] = newValue;
    }

    function record(string calldata what, int64 amount, bool twice) external {
        require(amount > 0, "nothing");
        calls[what] += twice ? 2 * uint256(uint64(amount)) : uint256(uint64(amount));
    }
}
