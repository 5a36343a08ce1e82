// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

interface ISuccessor {
    function transferByLegacy(address from, address to, uint256 value) external;
    function transferFromByLegacy(address spender, address from, address to, uint256 value) external;
}

/// What Tether's token on Ethereum answers and does, in the shape of TetherToken at
/// 0xdAC17F958D2ee523a2206206994597C13D831ec7 (verified there): transfers that answer nothing, an owner who issues,
/// pauses, freezes, destroys what he froze, takes a small fee and hands everything on to a successor.
contract TetherLike {
    string public constant name = "Tether USD";
    string public constant symbol = "USDT";
    uint256 public constant decimals = 6;
    address public owner;
    bool public paused;
    bool public deprecated;
    address public upgradedAddress;
    uint256 public basisPointsRate;
    uint256 public maximumFee;
    uint256 public totalSupply;
    mapping(address holder => uint256) public balanceOf;
    mapping(address holder => mapping(address spender => uint256)) public allowance;
    mapping(address account => bool) public isBlackListed;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event Issue(uint256 amount);
    event AddedBlackList(address user);
    event DestroyedBlackFunds(address user, uint256 balance);

    modifier onlyOwner() {
        require(msg.sender == owner);
        _;
    }

    modifier whenNotPaused() {
        require(!paused);
        _;
    }

    constructor(uint256 supply, address owner_) {
        totalSupply = supply;
        owner = owner_;
        balanceOf[owner_] = supply;
    }

    function transfer(address to, uint256 value) external whenNotPaused {
        require(!isBlackListed[msg.sender]);
        if (deprecated) ISuccessor(upgradedAddress).transferByLegacy(msg.sender, to, value);
        else _move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external whenNotPaused {
        require(!isBlackListed[from]);
        if (deprecated) {
            ISuccessor(upgradedAddress).transferFromByLegacy(msg.sender, from, to, value);
            return;
        }
        uint256 allowed = allowance[from][msg.sender];
        if (allowed < type(uint256).max) allowance[from][msg.sender] = allowed - value;
        _move(from, to, value);
    }

    function approve(address spender, uint256 value) external {
        require(value == 0 || allowance[msg.sender][spender] == 0);
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
    }

    function getBlackListStatus(address account) external view returns (bool) {
        return isBlackListed[account];
    }

    function transferOwnership(address next) external onlyOwner {
        if (next != address(0)) owner = next;
    }

    function pause() external onlyOwner {
        paused = true;
    }

    function unpause() external onlyOwner {
        paused = false;
    }

    function addBlackList(address account) external onlyOwner {
        isBlackListed[account] = true;
        emit AddedBlackList(account);
    }

    function removeBlackList(address account) external onlyOwner {
        isBlackListed[account] = false;
    }

    function destroyBlackFunds(address account) external onlyOwner {
        require(isBlackListed[account]);
        uint256 funds = balanceOf[account];
        balanceOf[account] = 0;
        totalSupply -= funds;
        emit DestroyedBlackFunds(account, funds);
    }

    function issue(uint256 amount) external onlyOwner {
        balanceOf[owner] += amount;
        totalSupply += amount;
        emit Issue(amount);
    }

    function redeem(uint256 amount) external onlyOwner {
        totalSupply -= amount;
        balanceOf[owner] -= amount;
    }

    function setParams(uint256 rate, uint256 most) external onlyOwner {
        require(rate < 20 && most < 50);
        basisPointsRate = rate;
        maximumFee = most * 10 ** decimals;
    }

    function deprecate(address successor) external onlyOwner {
        deprecated = true;
        upgradedAddress = successor;
    }

    function _move(address from, address to, uint256 value) private {
        uint256 fee = (value * basisPointsRate) / 10_000;
        if (fee > maximumFee) fee = maximumFee;
        balanceOf[from] -= value;
        balanceOf[to] += value - fee;
        if (fee > 0) {
            balanceOf[owner] += fee;
            emit Transfer(from, owner, fee);
        }
        emit Transfer(from, to, value - fee);
    }
}
