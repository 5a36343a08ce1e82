// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A token that transfers nothing before its owner opened trading.
abstract contract Launching {
    uint256 public totalSupply;
    mapping(address account => uint256) public balanceOf;
    mapping(address account => mapping(address spender => uint256)) public allowance;
    address public owner;
    // In the word of the owner.
    bool public open;
    bool public halted;

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner");
        _;
    }

    function name() external pure returns (string memory) {
        return "Juniper";
    }

    function symbol() external pure returns (string memory) {
        return "JNP";
    }

    function decimals() external pure returns (uint8) {
        return 18;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
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

    function move(address from, address to, uint256 amount) private returns (bool) {
        rule(from);
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }

    function rule(address from) internal view virtual {
        require(open || from == owner, "not open");
        require(!halted || from == owner, "halted");
    }
}

/// A list of accounts, and since when there is trade, from the next slot on.
abstract contract Listing is Launching {
    mapping(address account => bool) public listed;
    uint256 public start;

    function list(address account, bool listed_) external onlyOwner {
        listed[account] = listed_;
    }

    function launch() external onlyOwner {
        open = true;
        start = block.timestamp;
    }
}

/// Before trading opens, whoever is listed does not transfer.
contract BannedAtFirst is Listing {
    function rule(address from) internal view override {
        require(open || !listed[from], "listed");
    }
}

/// Before trading opens, only who is listed transfers.
contract SparedAtFirst is Listing {
    function rule(address from) internal view override {
        require(open || listed[from], "not listed");
    }
}

/// Whoever is listed does not transfer before a moment that was noted.
contract BannedBefore is Listing {
    function rule(address from) internal view override {
        require(block.timestamp > start || !listed[from], "listed");
    }
}

/// Whoever is listed does not transfer in the first year.
contract BannedForAYear is Listing {
    function rule(address from) internal view override {
        require(block.timestamp > start + 365 days || !listed[from], "listed");
    }
}

/// Some do not transfer before trading opens, and others never.
contract BannedTwice is Listing {
    mapping(address account => bool) public banned;

    function ban(address account, bool banned_) external onlyOwner {
        banned[account] = banned_;
    }

    function rule(address from) internal view override {
        require(open || !listed[from], "listed");
        require(!banned[from], "banned");
    }
}

/// By one list, a caller until trading opens, and a sender for ever.
contract BannedByOneList is Listing {
    function rule(address from) internal view override {
        require(open || !listed[msg.sender], "listed caller");
        require(!listed[from], "listed");
    }
}

/// Code that closes trading again.
contract ClosingLaunch {
    uint256[3] private taken;
    address private owner;
    bool private open;

    function close() external {
        open = false;
    }

    fallback() external payable {
        assembly {
            let logic := sload(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc)
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), logic, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if done { return(0, returndatasize()) }
            revert(0, returndatasize())
        }
    }
}

/// Trading opens once and for good.
contract OneWay is Launching {
    function launch() external onlyOwner {
        open = true;
    }
}

/// Trading opens and closes.
contract TwoWays is Launching {
    function setOpen(bool open_) external onlyOwner {
        open = open_;
    }
}

/// What opens trading halts it at the same time.
contract Halting is Launching {
    function launch() external onlyOwner {
        open = true;
        halted = true;
    }
}
