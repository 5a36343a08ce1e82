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
        require(open || from == owner, "not open");
        require(!halted || from == owner, "halted");
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
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
