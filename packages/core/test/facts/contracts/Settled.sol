// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Nobody sends at a high gas price while the token watches.
abstract contract Watching {
    uint256 public totalSupply; // slot 0
    mapping(address account => uint256) public balanceOf;
    mapping(address account => mapping(address spender => uint256)) public allowance;
    address public owner; // slot 3
    uint256 internal since; // slot 4

    function name() external pure returns (string memory) {
        return "Juniper";
    }

    function symbol() external pure returns (string memory) {
        return "JNP";
    }

    function decimals() external pure returns (uint8) {
        return 18;
    }

    function approve(address spender, uint256 amount) external virtual returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        return move(from, to, amount);
    }

    function move(address from, address to, uint256 amount) internal virtual returns (bool) {
        require(since == 0 || tx.gasprice < 1 gwei, "watched");
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

/// The keeper begins by an approval.
contract ByKeeper is Watching {
    address internal immutable keeper;

    constructor(address who) {
        keeper = who;
    }

    function approve(address spender, uint256 amount) external override returns (bool) {
        if (msg.sender == keeper) since = amount;
        allowance[msg.sender][spender] = amount;
        return true;
    }
}

contract ByOwner is Watching {
    function watch() external {
        require(msg.sender == owner, "not the owner");
        since = block.timestamp;
    }

    function renounce() external {
        require(msg.sender == owner, "not the owner");
        owner = address(0);
    }
}

/// The owner may come back.
contract ByOwnerAgain is ByOwner {
    function reclaim() external {
        owner = tx.origin;
    }
}

contract ByAnyone is ByOwner {
    function begin() external {
        since = block.timestamp;
    }
}

/// From a moment on.
contract FromThen is ByOwner {
    function move(address from, address to, uint256 amount) internal override returns (bool) {
        require(block.timestamp <= since || tx.gasprice < 1 gwei, "watched");
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

/// What the owner has it run may begin it.
contract ByModule is Watching {
    function run(address module, bytes calldata data) external {
        require(msg.sender == owner, "not the owner");
        (bool done,) = module.delegatecall(data);
        require(done, "module");
    }
}

/// The keeper alone is treated so.
contract OfKeeper is ByKeeper {
    constructor(address who) ByKeeper(who) {}

    function move(address from, address to, uint256 amount) internal override returns (bool) {
        require(msg.sender != keeper || tx.gasprice < 1 gwei, "keeper");
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}
